// Accounts and tokens: who may come in, as what.

import { get, listOf, path, post, remove } from "../api.js";
import { ask, show } from "../dialogs.js";
import { h } from "../dom.js";
import { choiceField, textField } from "../fields.js";
import { person } from "../house.js";
import { attempt, complain } from "../notices.js";
import { address } from "../routes.js";
import { t, word } from "../texts.js";

const ROLES = ["dealer", "supervisor", "shift-manager", "technician", "auditor"];
const PROGRAM_ROLES = ["table-server", "auditor"];

export function peopleView() {
  const people = h("div", {});
  const tokens = h("div", {});
  const reload = async () => {
    await fill(people, "people", (rows) => drawAccounts(rows, [["people.password", newPassword], ["people.close", closePerson]], reload));
    await fill(tokens, "tokens", (rows) => drawAccounts(rows, [["people.revoke", closeProgram]], reload));
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

/** Accounts as a table with what can be done with those that are open. */
function drawAccounts(rows, deeds, reload) {
  if (!rows.length) return h("p", { class: "quiet" }, t("data.none"));
  const head = ["name", "role", "closed"].map((name) => h("th", { scope: "col" }, t(`column.${name}`)));
  const button = (row, [words, deed]) =>
    h("button", { type: "button", class: "secondary", "aria-label": t(`${words}-of`, { name: row.name }), onclick: () => deed(row.name, reload) }, t(words));
  const drawn = rows.map((row) =>
    h(
      "tr",
      {},
      h("td", {}, row.name),
      h("td", {}, word("role", row.role)),
      h("td", {}, t(row.closed ? "yes" : "no")),
      h("td", { class: "row-deeds" }, row.closed ? null : deeds.map((deed) => button(row, deed))),
    ),
  );
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, head, h("th", { scope: "col" }, t("people.deeds")))), h("tbody", {}, drawn)));
}

async function addPerson(reload) {
  const answer = await ask({
    title: t("people.add"),
    fields: [
      textField("name", t("signin.name")),
      choiceField("role", t("people.role"), ROLES.map((role) => [role, word("role", role)])),
      passwordField(),
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

async function newPassword(name, reload) {
  if (name === person.get().name) return location.assign(address("password")); // one's own takes the old one
  const answer = await ask({ title: t("people.password-of", { name }), explain: t("people.password-explain"), fields: [passwordField()], confirm: t("people.password") });
  if (answer && (await attempt(() => post(path("people", name, "password"), answer), t("done")))) reload();
}

async function closePerson(name, reload) {
  const sure = await ask({ title: t("people.close-of", { name }), explain: t("people.close-explain"), confirm: t("people.close"), danger: true });
  if (sure && (await attempt(() => post(path("people", name, "close")), t("done")))) reload();
}

async function closeProgram(name, reload) {
  const sure = await ask({ title: t("people.revoke-of", { name }), explain: t("people.revoke-explain"), confirm: t("people.revoke"), danger: true });
  if (sure && (await attempt(() => remove(path("tokens", name)), t("done")))) reload();
}

const passwordField = () => textField("password", t("signin.password"), { kind: "password", autocomplete: "new-password", hint: t("setup.password-hint") });
