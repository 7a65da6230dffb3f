// What the dealer says aloud, in the words and the language of the table's rulebook whatever the page's language.

import { h } from "./dom.js";

// By rulebook and state of the round: RWS 3.2 and 3.5; MBS 3.1 and 3.2; MBS cards 3.2, 3.7; Duisburg Absatz 3.
const SINGAPORE = { betting: "Place your bets", closing: "No more bets", closed: "No more bets" };
const WORDS = {
  "duisburg-sic-bo-2019": {
    language: "de",
    betting: "Ihre Einsätze bitte",
    closing: "Keine Einsätze mehr",
    closed: "Keine Einsätze mehr",
    void: "Ungültiges Spiel",
  },
  "mbs-electronic-sic-bo-v4": { language: "en", ...SINGAPORE },
  "mbs-3-card-sic-bo-2016": { language: "en", ...SINGAPORE },
  "rws-sic-bo-etg-v8": { language: "en", betting: "Place your bets", closing: "No More Bets", closed: "No More Bets" },
  "rws-sic-bo-open-cover-2021": { language: "en", betting: "Place your bets", closing: "No More Bets", closed: "No More Bets" },
};

/** `{text, language}` of what is announced now; an operator's own rulebook has the service's words. */
export function announcementOf(table) {
  const words = WORDS[table.rulebook];
  return { text: words?.[table.round?.state] ?? table.announcement, language: words?.language ?? "en" };
}

/** The announcement as an element, or nothing when nothing is announced. */
export function drawAnnouncement({ text, language }) {
  if (!text) return null;
  const [open, close] = language === "de" ? ["„", "“"] : ["“", "”"];
  return h("q", { lang: language, class: "announcement" }, `${open}${text}${close}`);
}
