// Alarms: a settled result that its evidence speaks against. They stay until somebody here has seen them.

import { h, redrawing, setAttribute } from "./dom.js";
import { signal } from "./signal.js";
import { t, word } from "./texts.js";

const KIND = "evidence-alarm";
const SEEN = "console.alarms-seen"; // the number of the newest alarm that was taken away in this browser

const alarms = signal([]);

/** Take an event in; only alarms count. One that was seen before is no news. */
export function hearAlarm(event) {
  if (event.kind !== KIND || !event.sequence || event.sequence <= lastSeen()) return;
  if (alarms.get().some((known) => known.sequence === event.sequence)) return;
  alarms.change((all) => [...all, event]);
}

/** Forget them: somebody signed out. */
export const forgetAlarms = () => alarms.set([]);

/** The band that shows them, with a way to the desk; `deskOf(table)` is an address. */
export function alarmBand(deskOf) {
  const band = h("div", { class: "alarms", role: "alert", hidden: true });
  const draw = redrawing(band, (all) => all.map((alarm) => drawAlarm(alarm, deskOf)));
  alarms.follow((all) => {
    setAttribute(band, "hidden", !all.length);
    draw(all);
  });
  return band;
}

function drawAlarm({ sequence, table, body }, deskOf) {
  return h(
    "div",
    { class: "alarm" },
    h("strong", {}, `${table}: ${word("fact", body.fact)}`),
    h("span", {}, t("alarm.explain", { device: (body.device ?? []).join(" "), host: (body.second ?? []).join(" ") || "–" })),
    h("a", { class: "button secondary", href: deskOf(table) }, t("table.desk")),
    h("button", { type: "button", class: "secondary", onclick: () => take(sequence) }, t("alarm.seen")),
  );
}

function take(sequence) {
  localStorage.setItem(SEEN, String(Math.max(lastSeen(), sequence)));
  alarms.change((all) => all.filter((alarm) => alarm.sequence > lastSeen()));
}

const lastSeen = () => Number(localStorage.getItem(SEEN) ?? 0);
