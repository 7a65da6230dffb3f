// History at a glance: the last results, the road of big and small, and how often each face and total came.

import { h, svg } from "./dom.js";
import { smallDie, totalOf } from "./dice.js";
import { bigOrSmall, bigRoad, isByHand, settledRounds, statistics } from "./results.js";
import { t, word } from "./texts.js";
import { timeOfDay } from "./clock.js";

const ROAD_ROWS = 6;
const ROAD_COLUMNS = 24;

/** The newest results, newest first, those without a result too. */
export function drawLast(rounds, count) {
  const newest = rounds.filter(isOver).slice(0, count);
  if (!newest.length) return h("p", { class: "quiet" }, t("road.none"));
  return h("ol", { class: "last", "aria-label": t("road.last") }, newest.map(drawResult));
}

const isOver = (round) => ["settled", "void", "referred"].includes(round.state);

function drawResult(round) {
  if (round.state !== "settled" || !round.faces) {
    return h("li", { class: "result other" }, h("span", { class: "tag" }, word("state", round.state)));
  }
  const kind = bigOrSmall(round);
  return h(
    "li",
    { class: `result ${kind}` },
    h("span", { class: "unseen" }, t("road.result", { faces: round.faces.join(" "), time: timeOfDay(round.changed_ms) })),
    h("span", { class: "dice-row of-3" }, round.faces.map(smallDie)),
    h("span", { class: "total" }, String(totalOf(round.faces))),
    isByHand(round) ? h("span", { class: "by-hand" }, t("result.by-hand")) : null,
    h("span", { class: "tag" }, word("result", kind)),
  );
}

/** The road: columns of runs of big, small and triples; every mark has its letter, not colour alone. */
export function drawRoad(rounds) {
  const columns = bigRoad(settledRounds(rounds), ROAD_ROWS).slice(-ROAD_COLUMNS);
  const marks = columns.flatMap((column, x) => column.rounds.map((round, y) => drawMark(column.result, round, x, y)));
  const size = { viewBox: `0 0 ${ROAD_COLUMNS * 20} ${ROAD_ROWS * 20}` };
  const label = columns.flatMap((column) => column.rounds.map(() => word("result.letter", column.result))).join(" ");
  return svg("svg", { ...size, class: "road", role: "img", "aria-label": t("road.road", { results: label }) }, drawGrid(), marks);
}

function drawGrid() {
  const lines = [];
  for (let x = 0; x <= ROAD_COLUMNS; x++) lines.push(svg("line", { x1: x * 20, x2: x * 20, y1: 0, y2: ROAD_ROWS * 20 }));
  for (let y = 0; y <= ROAD_ROWS; y++) lines.push(svg("line", { x1: 0, x2: ROAD_COLUMNS * 20, y1: y * 20, y2: y * 20 }));
  return svg("g", { class: "road-grid" }, lines);
}

function drawMark(result, round, x, y) {
  return svg(
    "g",
    { class: isByHand(round) ? `mark ${result} hand` : `mark ${result}` },
    svg("title", {}, [`${round.faces.join(" ")} = ${totalOf(round.faces)}`, isByHand(round) && t("result.by-hand")].filter(Boolean).join(", ")),
    svg("circle", { cx: x * 20 + 10, cy: y * 20 + 10, r: 8 }),
    svg("text", { x: x * 20 + 10, y: y * 20 + 14, "text-anchor": "middle" }, word("result.letter", result)),
  );
}

/** Statistics of the rounds at hand. */
export function drawStatistics(rounds) {
  const counted = statistics(settledRounds(rounds));
  if (!counted.rounds) return h("p", { class: "quiet" }, t("road.none"));
  const share = (name, count) => h("div", { class: "share" }, h("dt", {}, name), h("dd", {}, `${count ?? 0}`));
  return [
    h("p", { class: "quiet" }, t("statistics.of", { count: counted.rounds })),
    h(
      "dl",
      { class: "shares" },
      ["big", "small", "triple"].map((kind) => share(word("result", kind), counted.results[kind])),
      share(word("result", "odd"), counted.odd),
      share(word("result", "even"), counted.even),
    ),
    drawBars(t("statistics.faces"), [1, 2, 3, 4, 5, 6], counted.faces),
    drawBars(t("statistics.totals"), range(3, 18), counted.totals),
  ];
}

function drawBars(label, keys, counts) {
  const most = Math.max(1, ...keys.map((key) => counts[key] ?? 0));
  const width = 300 / keys.length;
  const told = keys.map((key) => `${key}: ${counts[key] ?? 0}`).join(", ");
  const bars = keys.map((key, index) => drawBar({ key, count: counts[key] ?? 0, most, x: index * width, width }));
  return h(
    "figure",
    { class: "bars" },
    h("figcaption", {}, label),
    svg("svg", { viewBox: "0 0 300 92", role: "img", "aria-label": `${label}: ${told}` }, bars),
  );
}

function drawBar({ key, count, most, x, width }) {
  const height = (count / most) * 56;
  const middle = x + width / 2;
  return svg(
    "g",
    {},
    svg("rect", { class: "bar", x: x + 2, y: 74 - height, width: width - 4, height: Math.max(height, 1), rx: 2 }),
    svg("text", { class: "bar-count", x: middle, y: 70 - height, "text-anchor": "middle" }, count ? String(count) : ""),
    svg("text", { class: "bar-key", x: middle, y: 88, "text-anchor": "middle" }, String(key)),
  );
}

const range = (first, last) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
