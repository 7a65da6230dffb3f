// Keys for the dealer. Single letters can be switched off (WCAG 2.1.4) and never act inside a field or a dialog.

import { h } from "./dom.js";
import { show } from "./dialogs.js";
import { t } from "./texts.js";

const STORED = "console.shortcuts";
const KEYS = ["n", "t", "b", "1-6", "a", "r", "?"];

const areOn = () => localStorage.getItem(STORED) !== "off";

/** Listen for `shortcuts`, functions by key; answers how to stop. */
export function useShortcuts(shortcuts) {
  const listen = (event) => {
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || !areOn() || isBusy(event.target)) return;
    const deed = event.key === "?" ? showHelp : shortcuts[event.key.toLowerCase()];
    if (!deed) return;
    event.preventDefault();
    deed();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

const isBusy = (target) => Boolean(document.querySelector("dialog[open]")) || Boolean(target.closest?.("input, select, textarea"));

/** The button that shows the keys. */
export const helpButton = () => h("button", { type: "button", class: "secondary", onclick: showHelp }, t("keys.button"));

function showHelp() {
  const rows = KEYS.map((key) => [h("dt", {}, h("kbd", {}, key.toUpperCase())), h("dd", {}, t(`keys.${key}`))]);
  const box = h("input", { type: "checkbox", checked: areOn(), onchange: () => localStorage.setItem(STORED, box.checked ? "on" : "off") });
  show({ title: t("keys.title"), body: [h("dl", { class: "keys" }, rows), h("label", { class: "check" }, box, t("keys.on"))] });
}
