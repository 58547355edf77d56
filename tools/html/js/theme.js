// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** Light or dark: as the system says, unless the reader says otherwise. */

/** @param {() => void} redraw charts take their colours from the style sheet when they are drawn */
export function followTheme(select, redraw) {
  select.addEventListener("change", () => {
    if (select.value === "") {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = select.value;
    }
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}
