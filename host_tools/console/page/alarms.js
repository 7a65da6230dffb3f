// Alarms: settled results that their evidence speaks against. They stand until somebody has answered for them.

import { path, post } from "./api.js";
import { ask } from "./dialogs.js";
import { h, redrawing, setAttribute } from "./dom.js";
import { reasonField } from "./fields.js";
import { askAgain, may, tables } from "./house.js";
import { attempt } from "./notices.js";
import { t, word } from "./texts.js";

/** The band that shows those of all tables, with a way to the desk; `deskOf(table)` is an address. */
export function alarmBand(deskOf) {
  const band = h("div", { class: "alarms", role: "alert", hidden: true });
  const draw = redrawing(band, (all) => all.map((alarm) => drawAlarm(alarm, deskOf)));
  tables.follow((all) => {
    const standing = [...all.values()].flatMap(({ name, alarms }) => alarms.map((alarm) => ({ table: name, ...alarm })));
    setAttribute(band, "hidden", !standing.length);
    draw(standing);
  });
  return band;
}

function drawAlarm({ table, number, fact, device, second }, deskOf) {
  const answer = h("button", { type: "button", class: "secondary", onclick: () => answerFor(table, number, fact) }, t("alarm.answer"));
  return h(
    "div",
    { class: "alarm" },
    h("strong", {}, `${table}: ${word("fact", fact)}`),
    h("span", {}, t("alarm.explain", { device: device.join(" "), host: second.join(" ") || "–" })),
    h("a", { class: "button secondary", href: deskOf(table) }, t("table.desk")),
    may("decide") ? answer : h("span", { class: "quiet" }, t("alarm.who")),
  );
}

async function answerFor(table, number, fact) {
  const answer = await ask({
    title: `${table}: ${word("fact", fact)}`,
    explain: t("alarm.answer-explain"),
    fields: [reasonField()],
    confirm: t("alarm.answer"),
  });
  const asked = () => post(path("tables", table, "alarms", String(number), "answer"), answer);
  if (answer && (await attempt(asked, t("alarm.answered")))) askAgain(table);
}
