// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, keepPlaces, say } from "./dom.js";
import { Job } from "./job.js";

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

/** The live page: polls `commtap serve` for the job's numbers and shows the time of the last update. */

const kIntervalMs = 5000;
const kPromise = "This page connects only to the commtap serve that it came from.";

const kStates = {
  asking: "Waiting for the first numbers.",
  runs: "The job is running.",
  quiet: "The job is quiet: no collective and no step for more than a minute.",
  ended: "The job has ended.",
  gone: "The server no longer serves this job.",
  lost: "The server cannot be reached.",
};

class Follower {
  /** @param {(job: Job) => void} show */
  constructor(show) {
    this.show = show;
    this.state = h("strong", null);
    this.updated = h("span", { class: "muted" });
    this.pause = h("input", { type: "checkbox", onchange: () => this.#paused() });
    byId("live").append(this.state, this.updated, h("label", null, this.pause, "Pause"));
    byId("live").hidden = false;
    byId("promise").textContent = kPromise;
    this.#tell("asking");
  }

  /**
   * Sends a request, and the next one kIntervalMs after the answer. So a slow server has only one request at a time.
   */
  async ask() {
    this.asks = true;
    const found = await fetchDocument().catch(() => undefined);
    this.asks = false;
    if (!this.pause.checked) {
      this.timer = setTimeout(() => this.ask(), kIntervalMs);
    }
    if (found) {
      this.#take(new Job(found, true), found.idle_s >= found.quiet_s);
    } else {
      this.#tell(found === null ? "gone" : "lost");
    }
  }

  #paused() {
    clearTimeout(this.timer);
    if (!this.pause.checked && !this.asks) {
      this.ask();
    }
  }

  #take(job, isQuiet) {
    keepPlaces(() => this.show(job));
    this.updated.textContent = `Last updated ${new Date().toLocaleTimeString()}`;
    this.#tell(!job.runs ? "ended" : isQuiet ? "quiet" : "runs");
  }

  #tell(state) {
    if (byId("live").dataset.state !== state) {
      byId("live").dataset.state = state;
      this.state.textContent = kStates[state];
      say(kStates[state]);
    }
  }
}

/** Shows the job in the page's address, and updates it until the page is closed. */
export function follow(show) {
  new Follower(show).ask();
}
