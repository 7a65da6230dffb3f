// The auditor's view: the state of every device's chain, its signed records, and the access log. It only reads.

import { get, listOf, path } from "../api.js";
import { h, setAttribute } from "../dom.js";
import { tables } from "../house.js";
import { complain } from "../notices.js";
import { t } from "../texts.js";
import { dataTable } from "./data.js";

const PAGE = 100;
const PARTS = ["chain", "records", "log"];

export function auditView() {
  const place = h("div", { class: "card" });
  const device = deviceChoice(() => turn("records"));
  const log = h("select", { "aria-label": t("audit.which-log"), onchange: () => turn("log") });
  fillLogs(log);
  const tabs = PARTS.map((part) => h("button", { type: "button", "aria-pressed": "false", onclick: () => turn(part) }, t(`audit.${part}`)));
  const turn = (part) => {
    tabs.forEach((tab, index) => setAttribute(tab, "aria-pressed", String(PARTS[index] === part)));
    setAttribute(device, "hidden", part !== "records");
    setAttribute(log, "hidden", part !== "log");
    place.replaceChildren(pager(addressOf(part, device.value, log.value), part === "chain"));
  };
  turn("chain");
  const element = h(
    "section",
    { class: "page" },
    h("div", { class: "page-head" }, h("h1", {}, t("audit.title")), h("div", { class: "tools" }, h("div", { class: "segments", role: "group", "aria-label": t("audit.title") }, tabs), device, log)),
    h("p", { class: "quiet" }, t("audit.explain")),
    place,
  );
  return { element };
}

function deviceChoice(changed) {
  const devices = [...tables.get().values()].filter((table) => table.device);
  const options = devices.map((table) => h("option", { value: table.device }, `${table.name} · ${table.device}`));
  return h("select", { "aria-label": t("audit.device"), onchange: changed }, options);
}

async function fillLogs(log) {
  try {
    log.replaceChildren(...listOf(await get(path("logs"))).map((name) => h("option", { value: name }, name)));
  } catch (error) {
    complain(error);
  }
}

function addressOf(part, device, log) {
  const query = (parameters) => new URLSearchParams({ ...parameters, limit: PAGE });
  if (part === "records") return (after) => `${path("records")}?${query({ device, after })}`;
  if (part === "log") return (after) => `${path("log")}?${query({ log, after })}`;
  return () => path("chain");
}

function pager(addressAfter, whole) {
  const rows = [];
  const table = h("div", {});
  const more = h("button", { type: "button", class: "secondary", hidden: true, onclick: () => load() }, t("audit.more"));
  const load = async () => {
    try {
      const page = listOf(await get(addressAfter(positionOf(rows.at(-1)))));
      rows.push(...page);
      table.replaceChildren(dataTable(rows));
      setAttribute(more, "hidden", whole || page.length < PAGE);
    } catch (error) {
      complain(error);
    }
  };
  load();
  return h("div", {}, table, more);
}

const positionOf = (row) => row?.sequence ?? row?.step ?? 0;
