// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** Light or dark mode: the system's setting, unless the reader chooses one. */

/** @param {() => void} redraw redraws the charts, which read their colours from the style sheet only when drawn */
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
