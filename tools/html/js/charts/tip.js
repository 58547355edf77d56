// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h } from "../dom.js";

/** The tooltip at the pointer. Replaces that of ECharts, which would interpret names from the job as markup. */

const kGap = 14;

/** @param {[string, string][]} lines names and values; the first line is the title */
export function showTip(lines, x, y) {
  const tip = byId("tip");
  const [[title], ...rest] = lines;
  tip.replaceChildren(
    h("p", { class: "title" }, title),
    h("dl", null, ...rest.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
  );
  tip.hidden = false;
  const left = x + kGap + tip.offsetWidth > innerWidth ? x - kGap - tip.offsetWidth : x + kGap;
  const top = y + kGap + tip.offsetHeight > innerHeight ? y - kGap - tip.offsetHeight : y + kGap;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

export function hideTip() {
  byId("tip").hidden = true;
}
