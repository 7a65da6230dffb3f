// Sign-in: name and password.

import { path, post } from "../api.js";
import { h } from "../dom.js";
import { textField } from "../fields.js";
import { t } from "../texts.js";
import { formCard } from "./card.js";

/** The form; `entered(session)` follows a sign-in. */
export function signInView(entered) {
  const fields = [
    textField("name", t("signin.name"), { autocomplete: "username" }),
    textField("password", t("signin.password"), { kind: "password", autocomplete: "current-password" }),
  ];
  return formCard({
    title: t("signin.title"),
    explain: t("signin.explain"),
    fields,
    confirm: t("signin.confirm"),
    send: async (values) => entered(await post(path("session"), values)),
    after: h("p", { class: "quiet" }, t("signin.setup-hint")),
  });
}
