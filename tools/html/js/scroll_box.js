// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { h } from "./dom.js";

/** A box that scrolls. A shadow at its left or right edge shows that there is more in that direction. */

const kSlack = 1; // pixels; browsers round scroll positions

function showEdges(frame, scroll) {
  const right = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft;
  frame.classList.toggle("more-left", scroll.scrollLeft > kSlack);
  frame.classList.toggle("more-right", right > kSlack);
}

/**
 * Returns a scrolling box that holds `content`.
 * @param {string} key unique in the page
 * @param {string} label for screen readers
 */
export function scrollBox(key, label, content) {
  const attributes = { class: "scroll", tabindex: "0", role: "region", "data-key": key, "aria-label": label };
  const scroll = h("div", attributes, content);
  const frame = h("div", { class: "edges" }, scroll);
  const update = () => showEdges(frame, scroll);
  scroll.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(scroll);
  return frame;
}
