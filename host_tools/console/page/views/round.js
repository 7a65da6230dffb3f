// One round on the desk: how it ended and every entry before, what a correction changes, evidence, and the deeds.

import { dateAndTime } from "../clock.js";
import { POSSIBLE } from "../deeds.js";
import { die } from "../dice.js";
import { h, redrawing } from "../dom.js";
import { askAgain, link, may } from "../house.js";
import { signOf, withoutSign } from "../money.js";
import { attempt } from "../notices.js";
import { t, word } from "../texts.js";
import { wagerName } from "../felt.js";
import { referRound } from "./actions.js";
import { correctRound, enterByHand, releaseRound, resolveRound, voidRound } from "./decisions.js";
import { drawEvidence } from "./evidence.js";
import { drawWagers } from "./wagers.js";

const DEEDS = [
  { deed: "release", run: releaseRound, kind: "primary" },
  { deed: "resolution", run: resolveRound, kind: "primary" },
  { deed: "correction", run: correctRound, kind: "primary" },
  { deed: "manual-result", run: enterByHand, kind: "secondary" },
  { deed: "refer", run: referRound, kind: "secondary" },
  { deed: "void", run: voidRound, kind: "danger" },
];

export function roundDetails(name) {
  const element = h("section", { class: "card round-details" });
  const evidence = h("div", { class: "evidence" });
  const draw = redrawing(element, ({ table, round }) => (round ? drawRound(table, round, evidence) : h("p", { class: "quiet" }, t("road.none"))));
  const drawPictures = redrawing(evidence, (read) => (read.kept ? drawEvidence(name, read) : h("p", { class: "quiet" }, t("camera.none"))));
  return {
    element,
    update(table, round) {
      draw({ table: table && deskPart(table), round });
      if (table && round && round.mode !== "cards" && may("see-evidence")) drawPictures({ id: round.id, state: round.state, changed_ms: round.changed_ms, kept: Boolean(table.evidence) });
    },
  };
}

// What the deeds depend on: without the clock and the strokes, which would redraw it all the time.
function deskPart({ name, step, connected, mode, manual_entry, rulebook, layout, round }) {
  return { name, step, connected, mode, manual_entry, rulebook, layout, round: round && { id: round.id, state: round.state } };
}

function drawRound(table, round, evidence) {
  const differences = round.differences.length ? drawDifferences(round.differences) : null;
  return [
    h("h2", {}, t("round.title", { state: word("state", round.state) })),
    h("p", { class: "quiet mono" }, round.id),
    h("p", { class: "quiet" }, [dateAndTime(round.opened_ms), word("rulebook", round.rulebook), word("layout", round.layout), word("mode", round.mode)].join(" · ")),
    round.faces ? h("div", { class: "round-dice" }, round.faces.map((face) => die(face))) : null,
    round.cards?.length ? drawCards(round.cards) : null,
    table ? drawDeeds(table, round) : null,
    [...round.settlements].reverse().map((each) => drawSettlement(each, round.mode)),
    differences,
    may("see-evidence") && round.mode !== "cards" ? [h("h3", {}, t("evidence.title")), evidence] : null,
    may("see-wagers") ? [h("h3", {}, t("wagers.title")), drawWagers(round.wagers)] : null,
  ];
}

function drawCards(cards) {
  const people = (card) => [card.entered_by, card.seconded_by].filter(Boolean).join(" + ");
  return h("ol", { class: "card-list" }, cards.map((card) => h("li", {}, t("shoe.entered", { number: card.position, face: card.face, who: people(card) }))));
}

function drawDeeds(table, round) {
  const here = { ...table, round };
  const isLatest = table.round?.id === round.id;
  const possible = DEEDS.filter(({ deed }) => POSSIBLE[deed](here) && (isLatest || round.state === "referred"));
  if (!possible.length) return round.state === "settled" && may("decide") && !isLatest ? h("p", { class: "quiet" }, t("round.later")) : null;
  return h(
    "div",
    { class: "deeds" },
    possible.map(({ deed, run, kind }) => h("button", { type: "button", class: kind, "data-deed": deed, onclick: () => perform(here, run) }, t(`deed.${deed}`))),
  );
}

async function perform(table, run) {
  if (link.get().state !== "live") return;
  await attempt(() => run(table), (answer) => answer && (answer.proposed_by ? t("proposals.made") : t("done")));
  askAgain(table.name);
}

function drawSettlement(settlement, mode) {
  const people = [settlement.decided_by, settlement.seconded_by].filter(Boolean).join(" + ");
  const line = (name, value) => (value === "" || value === null ? null : [h("dt", {}, t(`settlement.${name}`)), h("dd", {}, String(value))]);
  return h(
    "article",
    { class: "settlement" },
    h("h3", {}, t("settlement.title", { number: settlement.number, verdict: word("state", settlement.verdict) })),
    h(
      "dl",
      {},
      line("faces", settlement.faces?.join(" ") ?? ""),
      line("fact", word("fact", settlement.fact)),
      line("action", word("action", settlement.action)),
      line("clause", settlement.clause),
      line("record", settlement.record),
      line("people", people),
      line("reason", settlement.reason),
      line("evidence", mode === "cards" ? null : settlement.evidence),
      line("corrects", settlement.corrects),
      line("made", dateAndTime(settlement.made_ms)),
    ),
  );
}

function drawDifferences(differences) {
  const row = (each) =>
    h(
      "tr",
      {},
      h("td", {}, each.player),
      h("td", {}, wagerName(each.wager)),
      h("td", { class: "amount" }, each.returned_before),
      h("td", { class: "amount" }, each.returned),
      h("td", { class: `amount ${signOf(each.amount) < 0 ? "collect" : "pay"}` }, `${t(signOf(each.amount) < 0 ? "differences.collect" : "differences.pay")} ${withoutSign(each.amount)}`),
    );
  const head = ["player", "wager", "before", "after", "amount"].map((name) => h("th", { scope: "col" }, t(`differences.${name}`)));
  return [h("h3", {}, t("differences.title")), h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, differences.map(row))))];
}
