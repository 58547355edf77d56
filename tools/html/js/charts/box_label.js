// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { themeFont } from "./palette.js";

/** Fits a module's name and number into a box of the icicle, without crossing a border between colours. */

/** The distance in pixels between a label and the borders of its colour. */
export const kPadding = 6;
export const kNameStyle = { fontWeight: 600, fontSize: 12, lineHeight: 14 };
export const kNumberStyle = { fontWeight: 400, fontSize: 11, lineHeight: 14 };

const kGap = 8; // pixels between the name and the number; two spaces need less
const kLeastRoom = 40; // pixels; a cut name in less room says nothing

const context = document.createElement("canvas").getContext("2d");

function widthOf(text, { fontWeight, fontSize }) {
  context.font = `${fontWeight} ${fontSize}px ${themeFont()}`;
  return context.measureText(text).width;
}

/** Returns the longest end of the name that fits into `room` pixels behind an ellipsis; "" if the room is too small. */
function cutStart(name, room) {
  if (widthOf(name, kNameStyle) <= room) {
    return name;
  }
  if (room < kLeastRoom) {
    return "";
  }
  const points = Array.from(name);
  let [fits, most] = [0, points.length];
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2);
    const isTooWide = widthOf(`…${points.slice(-middle).join("")}`, kNameStyle) > room;
    [fits, most] = isTooWide ? [fits, middle - 1] : [middle, most];
  }
  return fits === 0 ? "" : `…${points.slice(-fits).join("")}`;
}

/**
 * Returns the label of a box; null if none fits. The number is "" if only the name fits.
 * @template {{x: number, width: number}} Segment
 * @param {Segment[]} segments the coloured parts of the box, from left to right; has at least one
 * @returns {?{name: string, number: string, segment: Segment, isPlate: boolean}} `segment`: the part where the label
 * begins; `isPlate`: the label is on a plate of its own, because it fits into the box but into no segment
 */
export function boxLabel(name, number, segments) {
  const both = widthOf(name, kNameStyle) + kGap + widthOf(number, kNumberStyle);
  const roomy = segments.find(({ width }) => width >= both + 2 * kPadding);
  if (roomy) {
    return { name, number, segment: roomy, isPlate: false };
  }
  const whole = segments.reduce((sum, { width }) => sum + width, 0);
  for (const [width, shown] of [
    [both, number],
    [widthOf(name, kNameStyle), ""],
  ]) {
    if (segments.length > 1 && width + 4 * kPadding <= whole) {
      return { name, number: shown, segment: segments[0], isPlate: true };
    }
  }
  const widest = segments.reduce((a, b) => (b.width > a.width ? b : a));
  const cut = cutStart(name, widest.width - 2 * kPadding);
  return cut === "" ? null : { name: cut, number: "", segment: widest, isPlate: false };
}
