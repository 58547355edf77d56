// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** Formats numbers and names for readers. */

const kUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

// Control characters, separators, direction marks and lone surrogates: they can reorder or hide the text around them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression must match control characters
const kActive = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu;

/** Returns a name from the job with invisible characters escaped: "\x1b", "\u{202e}". */
export function inert(text) {
  return text.replace(kActive, (c) => {
    const code = c.codePointAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** Applies inert() to all strings in a value. */
export function inertAll(value) {
  if (typeof value === "string") {
    return inert(value);
  }
  if (Array.isArray(value)) {
    return value.map(inertAll);
  }
  return value !== null && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inertAll(item)]))
    : value;
}

/** Shortens text to at most `length` characters by leaving out its start: names with a common prefix differ at the end. */
export function shorten(text, length) {
  if (text.length <= length) {
    return text;
  }
  const points = Array.from(text);
  return points.length <= length ? text : `…${points.slice(points.length - (length - 1)).join("")}`;
}

/** Shortens text to at most `length` characters by leaving out its end. */
export function startOf(text, length) {
  const points = Array.from(text);
  return points.length <= length ? text : `${points.slice(0, length - 1).join("")}…`;
}

/** Returns a difference with its sign: "+1.50 KiB", "-3"; "0" for none. `write` formats a number above 0. */
export function signedText(difference, write) {
  return difference === 0 ? "0" : `${difference > 0 ? "+" : "-"}${write(Math.abs(difference))}`;
}

/** Returns what a row's label and set-up say: "[barrier]", "(set-up)", "[barrier] (set-up)" or "". */
export function labelText(label, setup) {
  return [label === "" ? "" : `[${label}]`, setup ? "(set-up)" : ""].filter((word) => word !== "").join(" ");
}

/** Returns "1234". */
export function wholeText(number) {
  return BigInt(Math.round(number)).toString();
}

/** Returns "24" or "2.66667", the text of wholeText() in C++. */
export function fractionText(count) {
  const kDigits = 6;
  if (Number.isInteger(count)) {
    return wholeText(count);
  }
  const text = count.toFixed(Math.max(0, kDigits - 1 - Math.floor(Math.log10(Math.abs(count)))));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Returns "12.3 %", the text of percentText() in C++. */
export function percentText(percent) {
  const kLeast = 0.001;
  if (percent < kLeast) {
    return percent === 0 ? "0 %" : "<0.001 %";
  }
  return `${percent.toFixed(percent < 0.1 ? 3 : percent < 100 ? 1 : 0)} %`;
}

/** Returns the change of an amount as "+1.7 %", the text of percentText() of two numbers in C++. */
export function changeText(before, after) {
  if (before === after || before === 0) {
    return before === after ? "" : "new";
  }
  return `${after > before ? "+" : "-"}${percentText((100 * Math.abs(after - before)) / before)}`;
}

/** Returns the unit for a number of bytes. */
export function byteUnit(bytes) {
  let unit = 0;
  while (bytes >= 1024 ** (unit + 1) && unit + 1 < kUnits.length) {
    unit += 1;
  }
  return { size: 1024 ** unit, name: kUnits[unit] };
}

/** Returns three significant digits; fewer for an exact whole number. */
function threeDigits(value, mayBeExact) {
  return value.toFixed(mayBeExact && Number.isInteger(value) ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

/** Returns "1.50 KiB", the text of humanBytes() in C++. */
export function bytesText(bytes) {
  const { size, name } = byteUnit(bytes);
  return `${threeDigits(bytes / size, size === 1)} ${name}`;
}

const kDurations = [
  ["ns", 1000],
  ["us", 1000],
  ["ms", 1000],
  ["s", 60],
  ["min", 60],
  ["h", Number.POSITIVE_INFINITY],
];

/** Returns "1.25 ms", the text of humanDuration() in C++. */
export function nsText(ns) {
  let [value, unit] = [ns, 0];
  while (value >= kDurations[unit][1]) {
    value /= kDurations[unit][1];
    unit += 1;
  }
  return `${threeDigits(value, unit === 0)} ${kDurations[unit][0]}`;
}

/** Returns the text of a time in milliseconds. */
export function msText(ms) {
  return nsText(ms * 1e6);
}

/** Formats a value of a metric: calls, bytes or nanoseconds. */
export function metricText(metric, value) {
  return metric === "count" ? fractionText(value) : metric === "exposed_ns" ? nsText(value) : bytesText(value);
}

/** Returns the unit of means: "per rank and step". */
export function meanUnit({ unit }) {
  return unit.steps > 0 ? "per rank and step" : "per rank";
}

/** Returns the unit that a reader has chosen. */
export function unitText({ job, choice }) {
  return choice.unit === "sum" ? "sums over ranks" : meanUnit(job);
}

/** Returns a share as "12.3 %"; "" if the whole is 0. */
export function shareText(part, whole) {
  return whole > 0 ? percentText((100 * part) / whole) : "";
}

/** Returns "1 module" or "2 modules". */
export function plural(number, noun) {
  return `${wholeText(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Returns "1 process" or "2 processes". */
export function processesText(number) {
  return `${wholeText(number)} ${number === 1 ? "process" : "processes"}`;
}

/** Returns "rank 3"; `rank` is null for a process without a rank. */
export function rankText(rank) {
  return rank === null ? "a process without a rank" : `rank ${rank}`;
}

/** Formats ranges of ranks: "0-3, 7". Shows only the first kShown ranges. */
export function rangesText(ranges) {
  const kShown = 8;
  const parts = ranges.slice(0, kShown).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  return parts.join(", ") + (ranges.length > kShown ? ", …" : "");
}

/** Returns "rank 3" or "ranks 0-2, 7". */
export function rankListText(ranges) {
  const one = ranges.length === 1 && ranges[0][0] === ranges[0][1];
  return `${one ? "rank" : "ranks"} ${rangesText(ranges)}`;
}

/** Returns a timestamp of the report as "2026-11-21 09:20:32 UTC". */
export function timeText(time) {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

/** Returns a time in ns since 1970 as a timestamp. */
export function activityTime(ns) {
  return new Date(ns / 1e6).toISOString();
}

/** Returns the time between two timestamps: "12.4 h". */
export function durationText(from, to) {
  return nsText(Math.max(0, Date.parse(to) - Date.parse(from)) * 1e6);
}

/** Returns a command line with quotes around the words that a shell would split. */
export function commandText(words) {
  return words.map((word) => (/^[\w@%+=:,./()-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
