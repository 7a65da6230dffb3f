// The wagers of a round and what they came to.

import { h } from "../dom.js";
import { wagerName } from "../felt.js";
import { sum } from "../money.js";
import { t, word } from "../texts.js";

const MOST_SHOWN = 200;

/** Wagers as a table, with what is staked and returned in all. */
export function drawWagers(wagers) {
  if (!wagers.length) return h("p", { class: "quiet" }, t("wagers.none"));
  const standing = wagers.filter((each) => !each.withdrawn);
  const returned = standing.filter((each) => each.returned !== null).map((each) => each.returned);
  return [
    h(
      "p",
      { class: "sums" },
      t("wagers.sums", { count: standing.length, stake: sum(standing.map((each) => each.stake)) }),
      returned.length ? ` · ${t("wagers.sum-returned", { amount: sum(returned) })}` : "",
    ),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": t("wagers.title") },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ["player", "wager", "stake", "result", "payout", "returned"].map((name) => h("th", { scope: "col" }, t(`wagers.${name}`))))),
        h("tbody", {}, wagers.slice(0, MOST_SHOWN).map(drawWager)),
      ),
    ),
    wagers.length > MOST_SHOWN ? h("p", { class: "quiet" }, t("wagers.more", { count: wagers.length - MOST_SHOWN })) : null,
  ];
}

function drawWager(wager) {
  const result = wager.withdrawn ? "withdrawn" : (wager.result ?? "");
  const odds = wager.odds ? ` ${wager.odds}:1` : "";
  return h(
    "tr",
    { class: result, title: wager.clause ?? "" },
    h("td", {}, wager.player),
    h("td", {}, wagerName(wager.wager)),
    h("td", { class: "amount" }, wager.stake),
    h("td", {}, `${word("outcome", result)}${odds}`),
    h("td", { class: "amount" }, wager.payout ?? ""),
    h("td", { class: "amount" }, wager.returned ?? ""),
  );
}
