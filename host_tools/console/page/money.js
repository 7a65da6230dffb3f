// Sums of money that stays exact: decimal text in, decimal text out, never a floating number.

/** Add amounts such as "12.50" and "-3"; the answer has as many decimals as the longest of them. */
export function sum(amounts) {
  const places = Math.max(0, ...amounts.map(decimalsOf));
  const total = amounts.reduce((all, amount) => all + scaled(amount, places), 0n);
  return written(total, places);
}

/** Whether an amount is above zero, zero, or below: 1, 0, -1. */
export function signOf(amount) {
  const value = scaled(amount, decimalsOf(amount));
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

/** The amount without its sign. */
export const withoutSign = (amount) => amount.replace(/^-/, "");

function decimalsOf(amount) {
  const point = amount.indexOf(".");
  return point < 0 ? 0 : amount.length - point - 1;
}

function scaled(amount, places) {
  const [whole, decimals = ""] = amount.split(".");
  return BigInt(whole + decimals.padEnd(places, "0"));
}

function written(total, places) {
  const digits = (total < 0n ? -total : total).toString().padStart(places + 1, "0");
  const sign = total < 0n ? "-" : "";
  return places ? `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}` : `${sign}${digits}`;
}
