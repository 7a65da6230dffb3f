// The desk of supervisors and shift managers: deeds that wait for a second person, rounds to decide, evidence,
// corrections, and what the tumbler itself remembers.

import { listOf, path, post } from "../api.js";
import { h, redrawing, setAttribute } from "../dom.js";
import { show } from "../dialogs.js";
import { tables, watch } from "../house.js";
import { complain } from "../notices.js";
import { rememberReferred, rememberRounds } from "../rounds.js";
import { address } from "../routes.js";
import { t, word } from "../texts.js";
import { timeOfDay } from "../clock.js";
import { POSSIBLE } from "../deeds.js";
import { dataTable } from "./data.js";
import { faultList } from "./faults.js";
import { voidAffected } from "./affected.js";
import { proposalList } from "./proposals.js";
import { roundDetails } from "./round.js";
import { smallDie, totalOf } from "../dice.js";
import { isByHand } from "../results.js";

const KEPT_ROUNDS = 30;
const WAITING = ["held", "referred"];

export function deskView(name) {
  const proposals = proposalList(name);
  const faults = faultList();
  const details = roundDetails(name);
  const list = h("ol", { class: "round-list" });
  const recall = h("button", { type: "button", class: "secondary", onclick: () => showRecall(name) }, t("deed.recall"));
  const affected = h("button", { type: "button", class: "secondary", onclick: () => voidAffected(name) }, t("deed.void-affected"));
  let chosen = null;
  let rounds = [];
  let referred = [];
  const choose = (id) => {
    chosen = id;
    draw();
  };
  const drawList = redrawing(list, ({ all, selected }) => all.map((round) => roundItem(round, round.id === selected, choose)));
  const draw = () => {
    const table = tables.get().get(name);
    const all = waitingFirst([table?.round, ...rounds, ...referred]);
    const selected = all.find((round) => round.id === chosen) ?? all[0];
    drawList({ all, selected: selected?.id });
    details.update(table, selected ?? null);
  };
  const remembered = rememberRounds(name, KEPT_ROUNDS, (all) => {
    rounds = all;
    draw();
  });
  const waiting = rememberReferred(name, (all) => {
    referred = all;
    draw();
  });
  watch(name);
  const leave = tables.follow((all) => {
    const table = all.get(name);
    if (!table) return;
    faults.update(table);
    setAttribute(recall, "hidden", !POSSIBLE.recall(table));
    setAttribute(affected, "hidden", !POSSIBLE["void-affected"](table));
    remembered.follow(table);
    waiting.follow(table);
    draw();
  });
  const element = h(
    "section",
    { class: "page" },
    h(
      "div",
      { class: "page-head" },
      h("h1", {}, t("desk.title", { name })),
      h("div", { class: "tools" }, affected, recall, h("a", { class: "button secondary", href: address("tables", name) }, t("desk.table"))),
    ),
    proposals.element,
    faults.element,
    h("div", { class: "desk" }, h("section", { class: "card" }, h("h2", {}, t("desk.rounds")), list), details.element),
  );
  return {
    element,
    leave() {
      watch(null);
      leave();
      proposals.leave();
    },
  };
}

// Each round once, as it is known first; those that wait for people before the others, which keep their order.
function waitingFirst(rounds) {
  const once = new Map();
  for (const round of rounds) if (round && !once.has(round.id)) once.set(round.id, round);
  const waits = (round) => WAITING.includes(round.state);
  return [...once.values()].sort((one, two) => waits(two) - waits(one));
}

function roundItem(round, selected, choose) {
  const faces = round.faces
    ? [h("span", { class: "dice-row of-3" }, round.faces.map(smallDie)), h("span", { class: "unseen" }, round.faces.join(" ")), h("strong", {}, String(totalOf(round.faces)))]
    : [];
  const mark = round.settlements.length > 1 ? h("span", { class: "pill warn" }, t("stage.corrected")) : null;
  const button = h(
    "button",
    { type: "button", class: "round-item", "aria-pressed": String(selected), onclick: () => choose(round.id) },
    h("span", { class: "time" }, timeOfDay(round.opened_ms)),
    h("span", { class: `state ${round.state}` }, word("state", round.state)),
    faces,
    isByHand(round) ? h("span", { class: "by-hand" }, t("result.by-hand")) : null,
    mark,
  );
  return h("li", {}, button);
}

async function showRecall(name) {
  try {
    const answer = await post(path("tables", name, "recall"));
    show({ title: t("recall.title"), wide: true, body: [h("p", {}, t("recall.explain")), dataTable(listOf(answer))] });
  } catch (error) {
    complain(error);
  }
}
