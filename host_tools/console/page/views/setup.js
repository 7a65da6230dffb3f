// Set-up: the one-time link that the first start prints makes the first account.

import { path, post } from "../api.js";
import { h } from "../dom.js";
import { textField } from "../fields.js";
import { t } from "../texts.js";
import { formCard } from "./card.js";

/** The form behind a set-up link with that token. */
export function setUpView(token) {
  const password = textField("password", t("signin.password"), {
    kind: "password",
    autocomplete: "new-password",
    hint: t("setup.password-hint"),
  });
  const again = textField("again", t("setup.again"), { kind: "password", autocomplete: "new-password" });
  return formCard({
    title: t("setup.title"),
    explain: t("setup.explain"),
    fields: [textField("name", t("signin.name"), { autocomplete: "username" }), password, again],
    confirm: t("setup.confirm"),
    send: async ({ name, password: secret, again: repeated }) => {
      if (secret !== repeated) throw new Error(t("setup.differ"));
      await post(path("setup", token), { name, password: secret });
      location.replace("/");
    },
    after: h("p", { class: "quiet" }, t("setup.after")),
  });
}
