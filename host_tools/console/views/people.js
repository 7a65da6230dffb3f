// Accounts and tokens: who may come in, as what.

import { get, listOf, path, post, remove } from "../api.js";
import { ask, show } from "../dialogs.js";
import { h } from "../dom.js";
import { choiceField, textField } from "../fields.js";
import { attempt, complain } from "../notices.js";
import { t, word } from "../texts.js";
import { dataTable } from "./data.js";

const ROLES = ["dealer", "supervisor", "shift-manager", "technician", "auditor"];
const PROGRAM_ROLES = ["table-server", "auditor"];

export function peopleView() {
  const people = h("div", {});
  const tokens = h("div", {});
  const reload = async () => {
    await fill(people, "people", (rows) => dataTable(rows));
    await fill(tokens, "tokens", (rows) => drawTokens(rows, reload));
  };
  reload();
  const button = (text, onclick) => h("button", { type: "button", class: "primary", onclick }, text);
  const element = h(
    "section",
    { class: "page" },
    h("div", { class: "page-head" }, h("h1", {}, t("people.title"))),
    h("section", { class: "card" }, h("h2", {}, t("people.people")), people, h("div", { class: "deeds" }, button(t("people.add"), () => addPerson(reload)))),
    h("section", { class: "card" }, h("h2", {}, t("people.tokens")), tokens, h("div", { class: "deeds" }, button(t("people.add-token"), () => addToken(reload)))),
  );
  return { element };
}

async function fill(place, what, draw) {
  try {
    place.replaceChildren(draw(listOf(await get(path(what)))));
  } catch (error) {
    complain(error);
  }
}

function drawTokens(rows, reload) {
  const revoke = (name) => h("button", { type: "button", class: "danger", onclick: () => removeToken(name, reload) }, t("people.revoke", { name }));
  return h("div", {}, dataTable(rows), h("div", { class: "deeds" }, rows.map((row) => row.name).filter(Boolean).map(revoke)));
}

async function addPerson(reload) {
  const answer = await ask({
    title: t("people.add"),
    fields: [
      textField("name", t("signin.name")),
      choiceField("role", t("people.role"), ROLES.map((role) => [role, word("role", role)])),
      textField("password", t("signin.password"), { kind: "password", autocomplete: "new-password", hint: t("setup.password-hint") }),
    ],
    confirm: t("people.add"),
  });
  if (answer && (await attempt(() => post(path("people"), answer), t("done")))) reload();
}

async function addToken(reload) {
  const answer = await ask({
    title: t("people.add-token"),
    fields: [textField("name", t("signin.name")), choiceField("role", t("people.role"), PROGRAM_ROLES.map((role) => [role, word("role", role)]))],
    confirm: t("people.add-token"),
  });
  if (!answer) return;
  await attempt(async () => {
    const made = await post(path("tokens"), answer);
    show({ title: t("people.token-made"), body: [h("p", {}, t("people.token-once")), h("p", { class: "mono secret" }, String(made.token ?? ""))] });
  });
  reload();
}

async function removeToken(name, reload) {
  const sure = await ask({ title: t("people.revoke", { name }), explain: t("people.revoke-explain"), confirm: t("people.revoke", { name }), danger: true });
  if (sure && (await attempt(() => remove(path("tokens", name)), t("done")))) reload();
}
