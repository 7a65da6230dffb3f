// Times as people read them, counted on the service's clock.

import { currentLanguage, t } from "./texts.js";

let ahead = 0; // ms that the service's clock is ahead of this computer's

/** Learn what time it is at the service. */
export function noteServerTime(nowMs) {
  if (Number.isFinite(nowMs)) ahead = nowMs - Date.now();
}

/** Unix ms by the service's clock. */
export const serverNow = () => Date.now() + ahead;

/** Seconds left until a time, never below 0; null without one. */
export function secondsLeft(untilMs) {
  return untilMs === null || untilMs === undefined ? null : Math.max(0, Math.ceil((untilMs - serverNow()) / 1000));
}

/** `0:07`, `12:00`. */
export function minutes(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The time of day, to the second. */
export function timeOfDay(ms) {
  return new Date(ms).toLocaleTimeString(currentLanguage(), { hour12: false });
}

/** Day and time. */
export function dateAndTime(ms) {
  return new Date(ms).toLocaleString(currentLanguage(), { hour12: false, dateStyle: "medium", timeStyle: "medium" });
}

/** How long ago, roughly. */
export function ago(ms) {
  const seconds = Math.max(0, Math.round((serverNow() - ms) / 1000));
  return seconds < 90 ? t("time.seconds-ago", { seconds }) : t("time.minutes-ago", { minutes: Math.round(seconds / 60) });
}

/** Call `tick` now and several times a second while `element` is in the page. */
export function ticking(element, tick) {
  tick();
  const timer = setInterval(() => (element.isConnected ? tick() : clearInterval(timer)), 200);
}
