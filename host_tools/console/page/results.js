// What past rounds say: big or small, odd or even, triples; only from what the layout's own rules call winning.

import { isTriple, totalOf } from "./dice.js";

/** The kind of a settled round's result: "triple", "big", "small", "both" (Duisburg as printed), or "neither". */
export function bigOrSmall(round) {
  if (isTriple(round.faces)) return "triple";
  const big = round.winning.includes("big");
  const small = round.winning.includes("small");
  if (big && small) return "both";
  return big ? "big" : small ? "small" : "neither";
}

/** Whether the result is one that people entered or corrected; it is marked as such wherever it is shown. Cards
 * always are, or come from a shoe device: no tumbler signs them. */
export function isByHand(round) {
  const settlement = round?.settlements.at(-1);
  return settlement?.verdict === "settled" && (round.mode === "cards" || Boolean(settlement.seconded_by));
}

/** The faces of a round to show: its result, or the cards that lie so far (0 for those to come); null without. */
export function facesOf(round) {
  if (round?.faces || !round?.cards?.length) return round?.faces ?? null;
  return [0, 1, 2].map((index) => round.cards[index]?.face ?? 0);
}

/** Of rounds with the newest first, those that are settled, the oldest first. */
export function settledRounds(rounds) {
  return rounds.filter((round) => round.state === "settled" && round.faces).reverse();
}

/** Columns of equal results in a row, at most `rows` long; a longer run goes on in the next column. */
export function bigRoad(rounds, rows) {
  const columns = [];
  for (const round of rounds) {
    const result = bigOrSmall(round);
    const column = columns.at(-1);
    if (column && column.result === result && column.rounds.length < rows) column.rounds.push(round);
    else columns.push({ result, rounds: [round] });
  }
  return columns;
}

/** Counts over settled rounds: `results` by kind, `odd`, `even`, `faces` 1..6, `totals` 3..18. */
export function statistics(rounds) {
  const counted = { rounds: rounds.length, results: {}, odd: 0, even: 0, faces: {}, totals: {} };
  for (const round of rounds) {
    const result = bigOrSmall(round);
    const total = totalOf(round.faces);
    counted.results[result] = (counted.results[result] ?? 0) + 1;
    counted.totals[total] = (counted.totals[total] ?? 0) + 1;
    counted[total % 2 ? "odd" : "even"] += 1;
    for (const face of round.faces) counted.faces[face] = (counted.faces[face] ?? 0) + 1;
  }
  return counted;
}
