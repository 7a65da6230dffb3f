// The middle of the dealer's view: state, clock, dice, what is said and what comes next, readable across a table.

import { announcementOf, drawAnnouncement } from "../announcements.js";
import { minutes, secondsLeft, ticking } from "../clock.js";
import { die, totalOf } from "../dice.js";
import { h, redrawing, setAttribute, setText } from "../dom.js";
import { bigOrSmall, facesOf, isByHand } from "../results.js";
import { t, word } from "../texts.js";

const HURRY_S = 5;

export function stage() {
  const state = h("p", { class: "stage-state", role: "status" });
  const clock = h("p", { class: "stage-clock" });
  const dice = h("div", { class: "stage-dice" });
  const ending = h("div", { class: "stage-ending" });
  const said = h("div", { class: "stage-said", role: "status" });
  const step = h("p", { class: "stage-step" });
  const element = h("section", { class: "stage", "aria-label": t("stage.title") }, h("div", { class: "stage-top" }, state, clock), dice, ending, said, step);
  const drawDice = redrawing(dice, drawFaces);
  const drawEnding = redrawing(ending, drawHowItEnded);
  const drawSaid = redrawing(said, drawAnnouncement);
  let known = null;
  ticking(document.body, () => known && tick(clock, known));
  return {
    element,
    update(table) {
      known = table;
      setAttribute(element, "data-state", table.connected ? (table.round?.state ?? "idle") : "absent");
      setText(state, table.connected ? word("state", table.round?.state ?? "idle") : t("device.absent"));
      drawDice({ faces: facesOf(table.round), settled: table.round?.state === "settled" });
      drawEnding(endingOf(table.round));
      drawSaid(announcementOf(table));
      setText(step, word("step", table.step));
      tick(clock, table);
    },
  };
}

function drawFaces({ faces, settled }) {
  const shown = (faces ?? [0, 0, 0]).map((face) => die(face));
  return [...shown, settled && h("p", { class: "stage-total" }, h("span", { class: "unseen" }, t("dice.total")), String(totalOf(faces)))];
}

function endingOf(round) {
  const settlement = round?.settlements.at(-1);
  if (!settlement) return null;
  return { settlement, byHand: isByHand(round), kind: round.state === "settled" && round.faces ? bigOrSmall(round) : null };
}

function drawHowItEnded(ending) {
  if (!ending) return null;
  const { settlement, byHand, kind } = ending;
  const why = settlement.fact ? `${word("fact", settlement.fact)}: ${word("action", settlement.action)}` : "";
  return [
    kind && h("span", { class: `pill ${kind}` }, word("result", kind)),
    why && h("span", { class: "pill" }, why),
    byHand && h("span", { class: "pill warn" }, t("result.by-hand")),
    settlement.corrects !== null && h("span", { class: "pill warn" }, t("stage.corrected")),
    settlement.decided_by && h("span", { class: "pill" }, t("stage.decided", { who: peopleOf(settlement) })),
    settlement.clause && h("span", { class: "quiet" }, t("stage.clause", { clause: settlement.clause })),
  ];
}

const peopleOf = (settlement) => [settlement.decided_by, settlement.seconded_by].filter(Boolean).join(" + ");

function tick(clock, table) {
  const betting = table.round?.state === "betting";
  const left = betting ? secondsLeft(table.bets_close_ms) : table.step === "wait" ? secondsLeft(table.opens_ms) : null;
  setAttribute(clock, "hidden", left === null);
  setAttribute(clock, "data-hurry", betting && left !== null && left <= HURRY_S);
  if (left !== null) setText(clock, minutes(left));
  setAttribute(clock, "aria-label", left === null ? null : t(betting ? "clock.bets" : "clock.next", { time: minutes(left) }));
}
