// Questions to the person at the page, in a dialog that keeps the focus and closes with Escape.

import { h } from "./dom.js";
import { t } from "./texts.js";

/** Ask for the values of `fields` (see fields.js); answers an object of values, or null when cancelled. */
export function ask({ title, explain = "", fields = [], confirm, danger = false, body = [] }) {
  return new Promise((resolve) => {
    const form = h(
      "form",
      { method: "dialog" },
      h("h2", { id: "dialog-title" }, title),
      explain ? h("p", {}, explain) : null,
      body,
      fields.map((field) => field.element),
      h(
        "div",
        { class: "dialog-buttons" },
        h("button", { type: "button", class: "secondary", onclick: () => dialog.close() }, t("cancel")),
        h("button", { type: "submit", class: danger ? "danger" : "primary" }, confirm),
      ),
    );
    const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
    let answer = null;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      answer = Object.fromEntries(fields.map((field) => [field.name, field.value()]));
      dialog.close();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Show something until it is closed. */
export function show({ title, body, wide = false }) {
  const dialog = h(
    "dialog",
    { "aria-labelledby": "dialog-title", class: wide ? "wide" : null },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "dialog-title" }, title),
      body,
      h("div", { class: "dialog-buttons" }, h("button", { class: "primary" }, t("close"))),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
