// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** Where the data comes from. The views do not know: they are given a job, once or again and again. */

const kPatienceMs = 10000;
const kNotFound = 404;

/** The document that `commtap html` wrote into this file; null in the page that `commtap serve` gives. */
export function embeddedDocument() {
  return JSON.parse(document.getElementById("report").textContent);
}

/** The newest document that the server has; null if it has none any more. Fails if there is no answer. */
export async function fetchDocument() {
  const signal = AbortSignal.timeout(kPatienceMs);
  const answer = await fetch(`job.json${location.search}`, { signal });
  if (answer.status === kNotFound) {
    return null;
  }
  if (!answer.ok) {
    throw new Error(answer.statusText);
  }
  return answer.json();
}
