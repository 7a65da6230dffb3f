// Any list of flat objects as a table: what the service tells that has no view of its own.

import { dateAndTime } from "../clock.js";
import { h } from "../dom.js";
import { hasText, t, word } from "../texts.js";

const LONG = 24;
const HEX = /^[0-9a-f]+$/;

/** Rows as a table; the columns are the keys, in the order in which they first come. */
export function dataTable(rows) {
  if (!rows.length) return h("p", { class: "quiet" }, t("data.none"));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const head = columns.map((name) => h("th", { scope: "col" }, columnName(name)));
  const body = rows.map((row) => h("tr", {}, columns.map((name) => cell(name, row[name]))));
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("data.table") }, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

function columnName(name) {
  const key = `column.${name}`;
  return hasText(key) ? t(key) : name.replaceAll("_", " ");
}

function cell(name, value) {
  const text = written(name, value);
  const shown = shortened(text);
  return h("td", { title: shown === text ? null : text, class: shown === text ? null : "mono" }, shown);
}

// The JSON text of the access log, read for people; what is no JSON object stays as it is.
function unfolded(text) {
  try {
    const object = JSON.parse(text);
    return Object.entries(object).map(([key, value]) => `${key}: ${shortened(typeof value === "object" ? JSON.stringify(value) : String(value))}`).join(", ");
  } catch {
    return text;
  }
}

const shortened = (text) => (text.length > LONG && HEX.test(text) ? `${text.slice(0, 8)}…${text.slice(-8)}` : text);

function written(name, value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (name === "role" || name === "fact") return word(name, value);
  if (/(^|_)(ms)$/.test(name) && name !== "uptime_ms" && Number.isFinite(value)) return dateAndTime(value);
  if (typeof value === "string" && value.startsWith("{")) return unfolded(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
