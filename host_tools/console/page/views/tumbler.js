// What the tumbler reports: strokes, dice at rest, cover and dome, line.

import { path, post } from "../api.js";
import { POSSIBLE } from "../deeds.js";
import { ask } from "../dialogs.js";
import { h, redrawing } from "../dom.js";
import { feltOf } from "../felt.js";
import { textField } from "../fields.js";
import { askAgain } from "../house.js";
import { attempt } from "../notices.js";
import { t, word } from "../texts.js";

const DOME_FACTS = ["dome-open", "dome-broken"];

export function tumblerPanel() {
  const body = h("div", {});
  const draw = redrawing(body, drawTumbler);
  let needed = null;
  let latest = null;
  return {
    element: h("section", { class: "card tumbler" }, h("h2", {}, t("tumbler.title")), body),
    update(table) {
      if (!latest) {
        feltOf(table).then((felt) => {
          needed = felt.minimum_tumbles;
          draw(shownOf(latest, needed));
        }, () => {});
      }
      latest = table;
      draw(shownOf(table, needed));
    },
  };
}

function shownOf(table, needed) {
  const dome = DOME_FACTS.find((fact) => table.faults.some((fault) => fault.fact === fact));
  return {
    needed,
    dome: dome ?? null,
    connected: table.connected,
    strokes: table.strokes,
    at_rest: table.at_rest,
    cover_closed: table.cover_closed,
    device_state: table.device_state,
    device: table.device,
    dice_of: POSSIBLE["change-dice"](table) ? table.name : null,
  };
}

function drawTumbler(shown) {
  const { connected, dome, cover_closed: cover } = shown;
  return [
    drawStrokes(shown),
    h(
      "ul",
      { class: "senses" },
      sense(t("tumbler.line"), connected ? t("tumbler.connected") : t("device.absent"), connected ? "good" : "bad"),
      sense(t("tumbler.state"), connected ? word("device", shown.device_state) : t("unknown"), "calm"),
      sense(t("tumbler.cover"), coverText(connected, cover), "calm"),
      sense(t("tumbler.dome"), domeText(connected, dome), dome ? "bad" : connected ? "good" : "calm"),
      sense(t("tumbler.dice"), connected ? t(shown.at_rest ? "tumbler.at-rest" : "tumbler.moving") : t("unknown"), "calm"),
    ),
    h("p", { class: "quiet mono" }, shown.device),
    shown.dice_of && h("button", { type: "button", class: "secondary", onclick: () => changeDice(shown.dice_of) }, t("deed.change-dice")),
  ];
}

async function changeDice(name) {
  const answer = await ask({
    title: t("deed.change-dice"),
    explain: t("dice-set.explain"),
    fields: [textField("dice_set", t("field.dice-set"), { pattern: "[A-Za-z0-9][A-Za-z0-9 ._\\/#\\-]{0,39}", hint: t("field.dice-set-hint") }), inspectionField()],
    confirm: t("deed.change-dice"),
  });
  if (answer && (await attempt(() => post(path("tables", name, "dice"), answer), t("dice-set.noted")))) askAgain(name);
}

// The time of day is this computer's; it leaves as Unix ms, or as null when nobody knows.
function inspectionField() {
  const field = textField("inspected_ms", t("field.inspected"), { kind: "datetime-local", required: false, hint: t("field.inspected-hint") });
  const asked = field.value;
  return { ...field, value: () => (asked() ? new Date(asked()).getTime() : null) };
}

function drawStrokes({ strokes, needed }) {
  const count = Math.max(needed ?? 0, strokes);
  const dots = Array.from({ length: Math.min(count, 12) }, (_, index) => h("span", { class: index < strokes ? "dot done" : "dot", "aria-hidden": "true" }));
  const text = needed === null ? String(strokes) : t("tumbler.strokes-of", { strokes, needed });
  return h("p", { class: "strokes" }, h("span", {}, t("tumbler.strokes")), h("span", { class: "dots" }, dots), h("strong", {}, text));
}

function coverText(connected, cover) {
  if (!connected || cover === null) return t("unknown");
  return t(cover ? "tumbler.closed" : "tumbler.open");
}

function domeText(connected, dome) {
  if (dome) return word("fact", dome);
  return connected ? t("tumbler.dome-sound") : t("unknown");
}

function sense(name, value, tone) {
  return h("li", { "data-tone": tone }, h("span", {}, name), h("strong", {}, value));
}
