// What the page knows of the house: who is signed in, the tables, and whether that is live.

import { get, listOf, path } from "./api.js";
import { Refused } from "./errors.js";
import { Live } from "./live.js";
import { noteServerTime } from "./clock.js";
import { signal } from "./signal.js";

const SOON_MS = 100; // events of one moment cause one question
const MANY = 20; // tables, from which on those that nobody looks at closely are asked for less often
const GATHER_MS = { few: 300, many: 1500 };

/** The person signed in, or null. */
export const person = signal(null);
/** Tables by name. */
export const tables = signal(new Map());
/** `{state: "connecting" | "live" | "stale", since}`: since when (Unix ms of this computer) nothing new is known. */
export const link = signal({ state: "connecting", since: Date.now() });
/** Deeds that wait for a second person. */
export const proposals = signal([]);

const asked = new Set();
let gathering = null;
let soon = null;
let watched = null;

/** Whether the person signed in may do this. */
export const may = (deed) => Boolean(person.get()?.may?.includes(deed));

const live = new Live({ onEvent: hear, onState: noteLink, onRefused: endWhenSignedOut, probe: askAll });

/** Learn all tables, then follow what happens. */
export async function follow() {
  await askAll();
  const newest = Math.max(0, ...[...tables.get().values()].map((table) => table.sequence));
  live.start(newest);
}

/** Forget everything: somebody signed out. */
export function forget() {
  live.stop();
  person.set(null);
  tables.set(new Map());
  proposals.set([]);
}

/** The table that a view shows closely, or null: only of that one the wagers are known. */
export function watch(name) {
  watched = name;
  if (name) askAgain(name);
}

/** Ask for a table again: soon for the one being watched, together with others else. */
export function askAgain(table) {
  if (table === watched) {
    soon ??= setTimeout(askWatched, SOON_MS, table);
  } else {
    asked.add(table);
    gathering ??= setTimeout(askGathered, tables.get().size > MANY ? GATHER_MS.many : GATHER_MS.few);
  }
}

async function askWatched(name) {
  soon = null;
  await following(async () => {
    takeTable(await get(path("tables", name)));
    await askProposals();
  });
}

async function askGathered() {
  gathering = null;
  const names = [...asked];
  asked.clear();
  await following(async () => {
    if (names.length > 1) await askAll();
    else takeTable(await get(path("tables", names[0])));
  });
}

// What fails here is asked again when the line is back or the next event comes.
async function following(question) {
  try {
    await question();
  } catch (error) {
    endWhenSignedOut(error.status);
  }
}

async function askAll() {
  try {
    const all = listOf(await get(path("tables")));
    if (all.length) noteServerTime(all[0].now_ms);
    const close = all.some((table) => table.name === watched) ? await get(path("tables", watched)) : null;
    const told = (table) => (table.name === close?.name ? close : table);
    tables.set(new Map(all.map((table) => [table.name, newer(tables.get().get(table.name), told(table))])));
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
