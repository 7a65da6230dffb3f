// A form alone on the page, which says under its fields what went wrong.

import { h, setAttribute, setText } from "../dom.js";
import { t } from "../texts.js";

/** `send(values)` may throw; its message is shown and read out. */
export function formCard({ title, explain, fields, confirm, send, after }) {
  const wrong = h("p", { class: "wrong", role: "alert", hidden: true });
  const button = h("button", { type: "submit", class: "primary" }, confirm);
  const form = h(
    "form",
    { class: "card sign" },
    h("p", { class: "brand-mark", "aria-hidden": "true" }, "⚂ ⚄ ⚅"),
    h("p", { class: "product" }, t("title")),
    h("h1", {}, title),
    h("p", {}, explain),
    fields.map((field) => field.element),
    wrong,
    button,
    after,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    setAttribute(wrong, "hidden", true);
    try {
      await send(Object.fromEntries(fields.map((field) => [field.name, field.value()])));
    } catch (error) {
      setText(wrong, error.message);
      setAttribute(wrong, "hidden", false);
    } finally {
      button.disabled = false;
    }
  });
  return form;
}
