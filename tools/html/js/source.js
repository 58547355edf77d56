// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** The data source: a document embedded in the page, or requests to `commtap serve`. */

const kPatienceMs = 10000;
const kNotFound = 404;

/** Returns the document that `commtap html` embedded in this file; null in a page from `commtap serve`. */
export function embeddedDocument() {
  return JSON.parse(document.getElementById("report").textContent);
}

/** Returns the server's newest document; null if the server no longer serves the job. Throws if there is no answer. */
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
