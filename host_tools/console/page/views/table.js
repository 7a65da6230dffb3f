// A table as its dealer sees it: the dice, what to do next and the buttons for it, and what the tumbler feels.

import { isOfCards } from "../deeds.js";
import { h, redrawing, setAttribute, setText } from "../dom.js";
import { drawFelt, feltOf } from "../felt.js";
import { tables, watch } from "../house.js";
import { rememberRounds } from "../rounds.js";
import { drawLast, drawRoad, drawStatistics } from "../road.js";
import { address } from "../routes.js";
import { helpButton, useShortcuts } from "../shortcuts.js";
import { t, word } from "../texts.js";
import { actionBar } from "./actions.js";
import { cameraPanel } from "./camera.js";
import { faultList } from "./faults.js";
import { shoePanel } from "./shoe.js";
import { stage } from "./stage.js";
import { tumblerPanel } from "./tumbler.js";
import { drawWagers } from "./wagers.js";

const KEPT_ROUNDS = 100;

export function tableView(name) {
  const parts = [stage(name), actionBar(name), sourcePanel(name), faultList(), cameraPanel(name), feltPanel(), historyPanel(name), wagersPanel()];
  const [scene, actions, source, faults, camera, felt, history, wagers] = parts;
  const missing = h("p", { class: "quiet", hidden: true }, t("table.unknown", { name }));
  const rules = h("p", { class: "quiet" });
  const element = h(
    "section",
    { class: "page" },
    h(
      "div",
      { class: "page-head" },
      h("h1", {}, name),
      rules,
      h("div", { class: "tools" }, h("a", { class: "button secondary", href: address("tables", name, "desk") }, t("table.desk")), helpButton()),
    ),
    missing,
    h(
      "div",
      { class: "dealer" },
      h("div", { class: "dealer-main" }, scene.element, actions.element),
      h("div", { class: "dealer-side" }, faults.element, source.element, camera.element, history.last),
    ),
    felt.element,
    h("div", { class: "columns" }, history.element, wagers.element),
  );
  watch(name);
  const leaveTables = tables.follow((all) => {
    const table = all.get(name);
    setAttribute(missing, "hidden", Boolean(table));
    if (!table) return;
    setText(rules, [word("rulebook", table.rulebook), word("layout", table.layout), word("mode", table.mode), table.limits].filter(Boolean).join(" · "));
    for (const part of parts) part.update(table);
  });
  const leaveKeys = useShortcuts({ ...actions.shortcuts, ...source.shortcuts });
  return {
    element,
    leave() {
      watch(null);
      leaveTables();
      leaveKeys();
    },
  };
}

// Where the faces come from: a tumbler, or a shoe of cards.
function sourcePanel(name) {
  const shoe = shoePanel(name);
  const tumbler = tumblerPanel(name);
  const element = h("div", {});
  return {
    element,
    update(table) {
      const panel = isOfCards(table) ? shoe : tumbler;
      if (panel.element.parentNode !== element) element.replaceChildren(panel.element);
      panel.update(table);
    },
    shortcuts: shoe.shortcuts,
  };
}

function feltPanel() {
  const cloth = h("div", { class: "felt", tabindex: "0", role: "group", "aria-label": t("felt.title") });
  const note = h("p", { class: "quiet" });
  let felt = null;
  let latest = null;
  const draw = redrawing(cloth, (shown) => drawFelt(felt, shown));
  const drawLatest = () => felt && latest && draw(shownOn(latest));
  return {
    element: h("section", { class: "card felt-card" }, h("h2", {}, t("felt.title")), cloth, note),
    update(table) {
      if (!latest) {
        feltOf(table).then(
          (answer) => {
            felt = answer;
            setText(note, [felt.layout_title, felt.layout_clause, felt.note].filter(Boolean).join(" · "));
            drawLatest();
          },
          (error) => setText(note, error.message),
        );
      }
      latest = table;
      drawLatest();
    },
  };
}

function shownOn(table) {
  const round = table.round;
  const settled = round?.state === "settled";
  return { winning: settled ? round.winning : [], faces: settled ? round.faces : null, wagers: round?.wagers ?? [] };
}

function historyPanel(name) {
  const last = h("div", {});
  const road = h("div", {});
  const counts = h("div", {});
  const drawings = [
    redrawing(last, (rounds) => drawLast(rounds, 8)),
    redrawing(road, drawRoad),
    redrawing(counts, drawStatistics),
  ];
  const rounds = rememberRounds(name, KEPT_ROUNDS, (all) => drawings.forEach((draw) => draw(all)));
  return {
    last: h("section", { class: "card" }, h("h2", {}, t("road.last")), last),
    element: h("section", { class: "card" }, h("h2", {}, t("road.title")), road, h("h3", {}, t("statistics.title")), counts),
    update: (table) => rounds.follow(table),
  };
}

function wagersPanel() {
  const list = h("div", {});
  const draw = redrawing(list, drawWagers);
  return {
    element: h("section", { class: "card" }, h("h2", {}, t("wagers.title")), list),
    update: (table) => draw(table.round?.wagers ?? []),
  };
}
