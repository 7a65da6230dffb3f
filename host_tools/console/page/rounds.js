// The rounds of a table that the page remembers: asked for when one begins or ends, in the order of the ledger.

import { get, listOf, path } from "./api.js";
import { complain } from "./notices.js";

/** `follow(table)` asks again when the table's round has changed; `changed(rounds)` hears of it. */
export function rememberRounds(name, count, changed) {
  let seen;
  return {
    async follow(table) {
      const now = `${table.round?.id} ${table.round?.state} ${table.round?.settlements.length}`;
      if (now === seen) return;
      seen = now;
      try {
        changed(listOf(await get(`${path("tables", name, "rounds")}?limit=${count}`)));
      } catch (error) {
        seen = undefined;
        complain(error);
      }
    },
  };
}

/** `follow(table)` asks for the rounds that wait for the shift manager, however old; `changed(rounds)` hears of them. */
export function rememberReferred(name, changed) {
  let seen;
  return {
    async follow(table) {
      const now = table.referred.join();
      if (now === seen) return;
      seen = now;
      try {
        changed(await Promise.all(table.referred.map((id) => get(path("tables", name, "rounds", id)))));
      } catch (error) {
        seen = undefined;
        complain(error);
      }
    },
  };
}
