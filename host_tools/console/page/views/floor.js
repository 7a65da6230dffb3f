// The floor: every table at a glance, those that need somebody first.

import { minutes, secondsLeft, ticking } from "../clock.js";
import { die, totalOf } from "../dice.js";
import { isByHand } from "../results.js";
import { h, redrawing, setAttribute, setText } from "../dom.js";
import { tables } from "../house.js";
import { proposalList } from "./proposals.js";
import { address } from "../routes.js";
import { t, word } from "../texts.js";

const FILTERS = ["all", "attention", "running"];

export function floorView() {
  const cards = new Map();
  const list = h("ul", { class: "floor" });
  const summary = h("p", { class: "quiet", role: "status" });
  const search = h("input", { type: "search", placeholder: t("floor.search"), "aria-label": t("floor.search") });
  const filter = filterButtons(() => draw());
  const empty = h("p", { class: "quiet", hidden: true }, t("floor.empty"));

  const draw = () => {
    const all = [...tables.get().values()];
    const shown = all.filter((table) => matches(table, search.value, filter.chosen())).sort(byUrgency);
    for (const table of shown) {
      if (!cards.has(table.name)) cards.set(table.name, tableCard(table.name));
      cards.get(table.name).update(table);
    }
    const wanted = shown.map((table) => cards.get(table.name).element);
    if (wanted.some((element, index) => list.children[index] !== element) || list.children.length !== wanted.length) {
      keepingFocus(() => list.replaceChildren(...wanted));
    }
    const attention = all.filter(needsSomebody).length;
    setText(summary, t("floor.summary", { count: all.length, attention }));
    setAttribute(empty, "hidden", shown.length > 0);
  };
  search.addEventListener("input", draw);
  const leaveTables = tables.follow(draw);
  const proposals = proposalList();
  const element = h(
    "section",
    { class: "page" },
    h("div", { class: "page-head" }, h("h1", {}, t("floor.title")), summary, h("div", { class: "tools" }, search, filter.element)),
    proposals.element,
    list,
    empty,
  );
  return {
    element,
    leave() {
      leaveTables();
      proposals.leave();
    },
  };
}

/** Whether a person has to come to this table. */
function needsSomebody(table) {
  return Boolean(table.faults.length || table.quarantine || !table.connected || ["held", "referred"].includes(table.round?.state));
}

function byUrgency(one, two) {
  return needsSomebody(two) - needsSomebody(one) || one.name.localeCompare(two.name, undefined, { numeric: true });
}

function matches(table, wanted, filter) {
  const found = `${table.name} ${table.rulebook} ${table.layout}`.toLowerCase().includes(wanted.trim().toLowerCase());
  if (filter === "attention") return found && needsSomebody(table);
  if (filter === "running") return found && table.connected && !needsSomebody(table);
  return found;
}

function filterButtons(changed) {
  let chosen = "all";
  const buttons = FILTERS.map((name) =>
    h("button", { type: "button", "aria-pressed": String(name === chosen), onclick: () => choose(name) }, t(`floor.${name}`)),
  );
  const choose = (name) => {
    chosen = name;
    buttons.forEach((button, index) => setAttribute(button, "aria-pressed", String(FILTERS[index] === name)));
    changed();
  };
  const element = h("div", { class: "segments", role: "group", "aria-label": t("floor.filter") }, buttons);
  return { element, chosen: () => chosen };
}

function keepingFocus(change) {
  const focused = document.activeElement;
  change();
  if (focused?.isConnected) focused.focus({ preventScroll: true });
}

function tableCard(name) {
  const state = h("span", { class: "state" });
  const clock = h("span", { class: "card-clock" });
  const dice = h("div", { class: "card-dice" });
  const notes = h("p", { class: "card-note" });
  const rules = h("span", { class: "quiet" });
  const link = h(
    "a",
    { href: address("tables", name), class: "table-card" },
    h("span", { class: "card-head" }, h("strong", { class: "card-name" }, name), state),
    rules,
    dice,
    h("span", { class: "card-foot" }, notes, clock),
  );
  const drawDice = redrawing(dice, drawFaces);
  let known;
  ticking(document.body, () => known && tickClock(clock, known));
  return {
    element: h("li", {}, link),
    update(table) {
      known = table;
      const bad = needsSomebody(table);
      setAttribute(link, "data-tone", toneOf(table));
      setText(state, table.connected ? word("state", table.round?.state ?? "idle") : t("device.absent"));
      setText(rules, `${word("rulebook", table.rulebook)} · ${word("mode", table.mode)}`);
      setText(notes, bad ? troubleOf(table) : word("step", table.step));
      drawDice({ faces: table.round?.faces ?? null, byHand: isByHand(table.round) });
      tickClock(clock, table);
    },
  };
}

function toneOf(table) {
  if (needsSomebody(table)) return "bad";
  return table.round?.state === "betting" ? "betting" : "calm";
}

function troubleOf(table) {
  if (!table.connected) return t("trouble.absent");
  if (table.faults.length) return word("fact", table.faults[0].fact);
  if (table.quarantine) return t("trouble.quarantine");
  return word("state", table.round.state);
}

function drawFaces({ faces, byHand }) {
  if (!faces) return h("span", { class: "quiet" }, "– – –");
  return [faces.map((face) => die(face)), byHand && h("span", { class: "by-hand" }, t("result.by-hand")), h("span", { class: "card-total" }, String(totalOf(faces)))];
}

function tickClock(clock, table) {
  const left = table.round?.state === "betting" ? secondsLeft(table.bets_close_ms) : null;
  setText(clock, left === null ? "" : minutes(left));
}
