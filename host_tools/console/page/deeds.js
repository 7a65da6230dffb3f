// What may be done with a table now: from what comes next there and the person's role. The service decides; this
// only offers what it would accept.

import { may } from "./house.js";

const ENDED = ["settled", "void", "referred"];

/** Whether a round is under way whose end is not known. */
const isUnderWay = (table) => Boolean(table.round) && !ENDED.includes(table.round.state);

const stateIs = (table, ...states) => states.includes(table.round?.state);

/** Whether cards are played at the table, which has a shoe and no tumbler. */
export const isOfCards = (table) => table.mode === "cards";

/** Whether the deed makes sense now. */
export const POSSIBLE = {
  open: (table) => may("play") && table.step === "open-round",
  tumble: (table) => may("play") && table.step === "tumble",
  "no-more-bets": (table) => may("play") && stateIs(table, "betting"),
  refer: (table) => may("refer") && isUnderWay(table),
  void: (table) => may("void") && isUnderWay(table) && !stateIs(table, "held"),
  release: (table) => may("decide") && stateIs(table, "held"),
  resolution: (table) => may("resolve") && stateIs(table, "referred"),
  "change-dice": (table) => may("change-dice") && !isOfCards(table) && table.connected && !isUnderWay(table),
  "manual-result": (table) => may("enter") && table.manual_entry && stateIs(table, "referred"),
  announce: (table) => may("play") && table.step === "announce",
  "enter-card": (table) => may("draw") && table.step === "draw-cards",
  "expose-card": (table) => may("draw") && isOfCards(table) && stateIs(table, "betting"),
  "load-shoe": (table) => may("load-shoe") && isOfCards(table) && !isUnderWay(table),
  "card-correction": (table) => may("enter") && table.step === "announce",
  correction: (table) => may("decide") && stateIs(table, "settled"),
  recall: (table) => may("recall") && !isOfCards(table) && table.connected,
  "void-affected": (table) => may("decide") && !isOfCards(table),
};

/** The one deed of play that is next, or null. */
export const nextDeed = (table) => ["tumble", "no-more-bets", "announce", "open"].find((deed) => POSSIBLE[deed](table)) ?? null;
