// What the page knows of the house: who is signed in, the tables, and whether that is live.

import { get, listOf, path } from "./api.js";
import { Refused } from "./errors.js";
import { Live } from "./live.js";
import { noteServerTime } from "./clock.js";
import { signal } from "./signal.js";

const GATHER_MS = 120; // events of one moment cause one question

/** The person signed in, or null. */
export const person = signal(null);
/** Tables by name. */
export const tables = signal(new Map());
/** `{state: "connecting" | "live" | "stale", since}`: since when (Unix ms of this computer) nothing new is known. */
export const link = signal({ state: "connecting", since: Date.now() });
/** Deeds that wait for a second person. */
export const proposals = signal([]);

const eventListeners = new Set();
const asked = new Set();
let gathering = null;

/** Whether the person signed in may do this. */
export const may = (deed) => Boolean(person.get()?.may?.includes(deed));

/** Hear every event; answers how to stop. */
export function onEvent(listener) {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

const live = new Live({ onEvent: hear, onState: noteLink, onRefused: endWhenSignedOut, probe: askAll });

/** Learn all tables, then follow what happens. */
export async function follow() {
  await askAll();
  live.start(Math.max(0, ...[...tables.get().values()].map((table) => table.sequence)));
}

/** Forget everything: somebody signed out. */
export function forget() {
  live.stop();
  person.set(null);
  tables.set(new Map());
  proposals.set([]);
}

/** Ask for one table again, soon. */
export function askAgain(table) {
  asked.add(table);
  gathering ??= setTimeout(askGathered, GATHER_MS);
}

async function askGathered() {
  gathering = null;
  const names = [...asked];
  asked.clear();
  try {
    if (names.length > 1) await askAll();
    else takeTable(await get(path("tables", names[0])));
    await askProposals();
  } catch (error) {
    endWhenSignedOut(error.status);
    for (const name of names) asked.add(name); // with the next event, or when the line is back
  }
}

async function askAll() {
  try {
    const all = listOf(await get(path("tables")));
    if (all.length) noteServerTime(all[0].now_ms);
    tables.set(new Map(all.map((table) => [table.name, newer(tables.get().get(table.name), table)])));
    await askProposals();
  } catch (error) {
    if (error instanceof Refused) endWhenSignedOut(error.status);
    throw error;
  }
}

async function askProposals() {
  if (may("confirm") || may("decide") || may("enter")) proposals.set(listOf(await get(path("proposals"))));
}

function takeTable(table) {
  noteServerTime(table.now_ms);
  tables.change((all) => new Map(all).set(table.name, newer(all.get(table.name), table)));
}

function newer(known, told) {
  return known && known.now_ms > told.now_ms ? known : told;
}

function hear(event) {
  if (event.kind === "stroke-counted") hint(event.table, { strokes: event.body.count });
  if (event.kind === "at-rest") hint(event.table, { at_rest: true });
  for (const listener of [...eventListeners]) listener(event);
  if (event.table) askAgain(event.table);
}

function hint(name, change) {
  const table = tables.get().get(name);
  if (table) tables.change((all) => new Map(all).set(name, { ...table, ...change }));
}

function noteLink(state) {
  const before = link.get();
  if (state === "live" && before.state !== "live") askAll().catch(() => {});
  link.set({ state, since: before.state === state ? before.since : Date.now() });
}

function endWhenSignedOut(status) {
  if (status === 401 || status === 4401) forget();
}
