// Any list of flat objects as a table: what the service tells that has no view of its own.

import { dateAndTime } from "../clock.js";
import { h } from "../dom.js";
import { hasText, t, word } from "../texts.js";

const LONG = 24;

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
  const long = text.length > LONG && /^[0-9a-f]+$/.test(text);
  return h("td", { title: long ? text : null, class: long ? "mono" : null }, long ? `${text.slice(0, 8)}…${text.slice(-8)}` : text);
}

function written(name, value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (name === "role" || name === "fact") return word(name, value);
  if (/(^|_)(ms)$/.test(name) && name !== "uptime_ms" && Number.isFinite(value)) return dateAndTime(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
