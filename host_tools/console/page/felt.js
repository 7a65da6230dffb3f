// The layout as it lies on the table: every wager with its odds, what is staked there, and the winners lit.

import { get, path } from "./api.js";
import { h } from "./dom.js";
import { smallDie } from "./dice.js";
import { sum } from "./money.js";
import { hasText, t } from "./texts.js";

const REPEATED = { double: 2, triple: 3 };
const fetched = new Map();

/** The layout of a table with its odds and rulings; asked for once. */
export function feltOf(table) {
  const address = path("tables", table.name, "layout");
  if (!fetched.has(address)) {
    const answer = get(address);
    answer.catch(() => fetched.delete(address));
    fetched.set(address, answer);
  }
  return fetched.get(address);
}

/** The felt as elements. `winning` is a list of wagers, `faces` the result or null, `wagers` those placed. */
export function drawFelt(felt, { winning, faces, wagers }) {
  const stakes = stakesByWager(wagers);
  const cell = (name) => drawCell(name, felt.offers[name], { lit: winning.includes(name), faces, stake: stakes.get(name) });
  return felt.panels.map((panel) =>
    h("div", { class: "felt-panel" }, panel.map((row) => h("ul", { class: "felt-row" }, row.map(cell)))),
  );
}

/** A wager's name for people: "Total 11", "Domino 2-5". */
export function wagerName(name) {
  const [kind, numbers = ""] = name.split(":");
  const key = `wager.${kind}`;
  return hasText(key) ? t(key, { numbers: numbers.replaceAll("-", "·") }).trim() : name;
}

function drawCell(name, offer, { lit, faces, stake }) {
  return h(
    "li",
    { class: `felt-cell kind-${offer.kind}${lit ? " lit" : ""}`, "data-wager": name, title: `${offer.wins} (${offer.clause})` },
    drawName(name, offer),
    h("span", { class: "odds" }, oddsText(offer)),
    stake ? h("span", { class: "stake" }, stake) : null,
    lit ? h("span", { class: "wins" }, winsText(offer, faces)) : null,
  );
}

function drawName(name, offer) {
  if (!offer.numbers.length) return [h("span", { class: "name word" }, wagerName(name)), totalsText(offer)];
  if (offer.kind === "total") return h("span", { class: "name number" }, String(offer.numbers[0]));
  const dice = Array(REPEATED[offer.kind] ?? 1).fill(offer.numbers).flat();
  return [
    h("span", { class: "unseen" }, wagerName(name)),
    h("span", { class: `dice-row of-${dice.length}` }, dice.map(smallDie)),
  ];
}

function totalsText(offer) {
  if (!offer.totals.length) return null;
  const [first, second] = offer.totals;
  const last = offer.totals.at(-1);
  const step = second - first;
  return h("span", { class: "totals" }, step === 1 ? `${first} – ${last}` : `${first}, ${second} … ${last}`);
}

function oddsText(offer) {
  return [...new Set(Object.values(offer.odds))].map((odds) => `${odds}:1`).join(" · ");
}

function winsText(offer, faces) {
  const levels = Object.keys(offer.odds);
  const count = offer.numbers.length === 1 && faces ? faces.filter((face) => face === offer.numbers[0]).length : 0;
  return levels.length > 1 && String(count) in offer.odds ? `✓ ${offer.odds[count]}:1` : "✓";
}

function stakesByWager(wagers) {
  const amounts = new Map();
  for (const each of wagers) {
    if (!each.withdrawn) amounts.set(each.wager, [...(amounts.get(each.wager) ?? []), each.stake]);
  }
  return new Map([...amounts].map(([wager, stakes]) => [wager, sum(stakes)]));
}
