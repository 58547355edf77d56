// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** Where the data comes from. The views do not know: they are given a job, once or again and again. */

/** The document that `commtap html` wrote into this file. */
export function embeddedDocument() {
  return JSON.parse(document.getElementById("report").textContent);
}
