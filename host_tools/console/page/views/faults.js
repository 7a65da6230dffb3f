// Faults and what clears them; those who may clear them find the button here.

import { path, post } from "../api.js";
import { ask } from "../dialogs.js";
import { h, redrawing, setAttribute } from "../dom.js";
import { askAgain, may } from "../house.js";
import { attempt } from "../notices.js";
import { address } from "../routes.js";
import { hasText, t, word } from "../texts.js";

export function faultList() {
  const list = h("div", {});
  const element = h("section", { class: "card faults", role: "alert", hidden: true }, h("h2", {}, t("faults.title")), list);
  const draw = redrawing(list, ({ name, faults, quarantine, referred }) => [
    quarantine ? drawQuarantine(quarantine) : null,
    referred ? drawReferred(name, referred) : null,
    faults.map((fault) => drawFault(name, fault)),
  ]);
  return {
    element,
    update(table) {
      setAttribute(element, "hidden", !table.faults.length && !table.quarantine && !table.referred.length);
      draw({ name: table.name, faults: table.faults, quarantine: table.quarantine, referred: table.referred.length });
    },
  };
}

function drawQuarantine(reason) {
  return h("div", { class: "fault" }, h("strong", {}, t("faults.quarantine")), h("p", {}, reason), h("p", { class: "remedy" }, t("step.quarantined")));
}

function drawReferred(name, count) {
  return h(
    "div",
    { class: "fault" },
    h("strong", {}, t("referred.title")),
    h("p", {}, t("referred.waiting", { count })),
    may("refer") ? h("p", { class: "remedy" }, h("a", { href: address("tables", name, "desk") }, t("referred.desk"))) : null,
  );
}

function drawFault(name, { fact, detail, remedy }) {
  const remedyKey = `remedy.${fact}`;
  const clear = h("button", { type: "button", class: "secondary", onclick: () => clearFault(name, fact) }, t("faults.clear"));
  return h(
    "div",
    { class: "fault" },
    h("strong", {}, word("fact", fact)),
    detail ? h("p", { class: "quiet" }, detail) : null,
    h("p", { class: "remedy" }, hasText(remedyKey) ? t(remedyKey) : remedy),
    may("clear-fault") ? clear : h("p", { class: "quiet" }, t("faults.who")),
  );
}

async function clearFault(name, fact) {
  const answer = await ask({
    title: t("faults.clear-title", { fact: word("fact", fact) }),
    explain: t("faults.clear-explain"),
    confirm: t("faults.clear"),
  });
  if (answer && (await attempt(() => post(path("tables", name, "faults", fact, "clear")), t("faults.asked")))) askAgain(name);
}
