// Fields of forms: each has an element with a visible label, a name, and its value as the API takes it.

import { h } from "./dom.js";
import { die } from "./dice.js";
import { t } from "./texts.js";

let made = 0;
const newId = () => `field-${++made}`;

/** A line of text. `kind` is the input's type. */
export function textField(name, label, { kind = "text", value = "", required = true, hint = "", autocomplete = "off", pattern = null } = {}) {
  const id = newId();
  const input = h("input", { id, type: kind, value, required, autocomplete, pattern, "aria-describedby": hint ? `${id}-hint` : null });
  return {
    name,
    value: () => (kind === "password" ? input.value : input.value.trim()),
    element: labelled(id, label, input, hint),
  };
}

/** Why: a few lines, always required, for the record. */
export function reasonField() {
  const id = newId();
  const input = h("textarea", { id, rows: 3, required: true, maxlength: 500, "aria-describedby": `${id}-hint` });
  return { name: "reason", value: () => input.value.trim().replace(/\s+/g, " "), element: labelled(id, t("field.reason"), input, t("field.reason-hint")) };
}

/** One of several values, given as pairs of value and words. */
export function choiceField(name, label, pairs, value = pairs[0]?.[0]) {
  const id = newId();
  const options = pairs.map(([each, text]) => h("option", { value: each, selected: each === value }, text));
  const input = h("select", { id }, options);
  return { name, value: () => input.value, element: labelled(id, label, input) };
}

/** Three faces, as large dice to press. */
export function facesField({ ofCards = false } = {}) {
  const id = newId();
  const rows = [0, 1, 2].map((index) => faceRow(`${id}-${index}`, t(ofCards ? "field.card-number" : "field.die", { number: index + 1 })));
  return {
    name: "faces",
    value: () => rows.map((row) => Number(row.querySelector("input:checked").value)),
    element: h("div", { class: "faces-field" }, rows),
  };
}

/** One face, as large dice to press. */
export function faceField(name, label) {
  const row = faceRow(newId(), label);
  return { name, value: () => Number(row.querySelector("input:checked").value), element: h("div", { class: "faces-field" }, row) };
}

function faceRow(group, label) {
  const choices = [1, 2, 3, 4, 5, 6].map((face) => {
    const input = h("input", { type: "radio", name: group, value: face, required: true, "aria-label": t("dice.face", { face }) });
    const drawn = die(face);
    drawn.setAttribute("aria-hidden", "true");
    return h("label", { class: "face-choice" }, input, drawn);
  });
  return h("fieldset", {}, h("legend", {}, label), h("div", { class: "face-choices" }, choices));
}

function labelled(id, label, input, hint = "") {
  const told = hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : null;
  return h("div", { class: "field" }, h("label", { for: id }, label), input, told);
}
