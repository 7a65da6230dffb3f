// The dealer's buttons: large, one of them the next thing to do, each with a key.

import { path, post } from "../api.js";
import { POSSIBLE, isOfCards, nextDeed } from "../deeds.js";
import { ask } from "../dialogs.js";
import { h, setAttribute } from "../dom.js";
import { choiceField, reasonField } from "../fields.js";
import { feltOf } from "../felt.js";
import { askAgain, link, may, tables } from "../house.js";
import { attempt } from "../notices.js";
import { t, word } from "../texts.js";

const PLAY = [
  { deed: "open", key: "n", run: (table) => post(path("tables", table.name, "rounds")) },
  { deed: "tumble", key: "t", run: (table) => post(roundPath(table, "tumble")) },
  { deed: "no-more-bets", key: "b", run: (table) => post(roundPath(table, "no-more-bets")) },
  { deed: "announce", key: "a", run: (table) => post(roundPath(table, "announce")) },
];

const roundPath = (table, deed) => path("tables", table.name, "rounds", table.round.id, deed);

export function actionBar(name) {
  const play = may("play") ? PLAY : [];
  const refer = may("refer") ? [{ deed: "refer", key: "r", run: referRound }] : [];
  const buttons = [...play, ...refer].map((action) => makeButton(name, action));
  const update = (table) => buttons.forEach((button) => button.update(table));
  link.follow(() => tables.get().has(name) && update(tables.get().get(name)));
  return {
    element: h("div", { class: "actions", role: "group", "aria-label": t("actions.title") }, buttons.map((button) => button.element)),
    update,
    shortcuts: Object.fromEntries(buttons.map((button) => [button.key, button.press])),
  };
}

function makeButton(name, action) {
  let busy = false;
  const press = async () => {
    if (element.disabled) return;
    const table = tables.get().get(name);
    busy = true;
    update(table);
    await attempt(() => action.run(table));
    busy = false;
    askAgain(name);
    update(tables.get().get(name) ?? table);
  };
  const kind = action.deed === "refer" ? "secondary" : "play";
  const element = h(
    "button",
    { type: "button", class: `action ${kind}`, "data-deed": action.deed, onclick: press, "aria-keyshortcuts": action.key },
    h("span", {}, t(`deed.${action.deed}`)),
    h("kbd", { "aria-hidden": "true" }, action.key.toUpperCase()),
  );
  const update = (table) => {
    setAttribute(element, "hidden", action.deed === (isOfCards(table) ? "tumble" : "announce"));
    element.disabled = busy || link.get().state !== "live" || !POSSIBLE[action.deed](table);
    setAttribute(element, "data-next", nextDeed(table) === action.deed);
  };
  return { element, update, press, key: action.key };
}

/** Leave the round under way to the people whom the rules name. */
export async function referRound(table) {
  const felt = await feltOf(table);
  const referred = Object.entries(felt.rulings).filter(([, ruling]) => ruling.action === "refer");
  const facts = referred.map(([fact, ruling]) => [fact, `${word("fact", fact)} (${ruling.clause})`]);
  const held = table.round.state === "held";
  const answer = await ask({
    title: t("refer.title"),
    explain: t("refer.explain", { who: felt.referral.to, clause: felt.referral.clause }),
    fields: [...(held || !facts.length ? [] : [choiceField("fact", t("field.fact"), facts)]), reasonField()],
    confirm: t("deed.refer"),
    danger: true,
  });
  return answer && post(roundPath(table, "refer"), answer);
}
