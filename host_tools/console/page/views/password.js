// One's own password, which takes the old one: by choice, or because somebody else has set it and knows it.

import { path, post } from "../api.js";
import { textField } from "../fields.js";
import { t } from "../texts.js";
import { formCard } from "./card.js";

/** The form; `changed(password)` follows, when all sessions of the person have ended. */
export function passwordView(name, explain, changed) {
  const secret = (field, label, more = {}) => textField(field, t(label), { kind: "password", autocomplete: "new-password", ...more });
  return formCard({
    title: t("password.title"),
    explain,
    fields: [
      secret("old", "password.old", { autocomplete: "current-password" }),
      secret("password", "password.new", { hint: t("setup.password-hint") }),
      secret("again", "setup.again"),
    ],
    confirm: t("password.confirm"),
    send: async ({ old, password, again }) => {
      if (password !== again) throw new Error(t("setup.differ"));
      await post(path("people", name, "password"), { old, password });
      await changed(password);
    },
  });
}
