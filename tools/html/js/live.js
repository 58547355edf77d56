// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { byId, h, keepPlaces, say } from "./dom.js";
import { Job } from "./job.js";
import { fetchDocument } from "./source.js";

/** The page of a job that may still run: it asks `commtap serve` again and again, and says how old its numbers are. */

const kIntervalMs = 5000;
const kPromise = "This page asks the commtap serve that it came from, and nobody else.";

const kStates = {
  asking: "Waiting for the first numbers.",
  runs: "The job runs.",
  ended: "The job has ended.",
  gone: "The server does not tell of this job any more.",
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

  /** Asks now, and again a while after the answer: a slow server is asked once at a time. */
  async ask() {
    this.asks = true;
    const found = await fetchDocument().catch(() => undefined);
    this.asks = false;
    if (!this.pause.checked) {
      this.timer = setTimeout(() => this.ask(), kIntervalMs);
    }
    if (found) {
      this.#take(new Job(found, true));
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

  #take(job) {
    keepPlaces(() => this.show(job));
    this.updated.textContent = `Last updated ${new Date().toLocaleTimeString()}`;
    this.#tell(job.runs ? "runs" : "ended");
  }

  #tell(state) {
    if (byId("live").dataset.state !== state) {
      byId("live").dataset.state = state;
      this.state.textContent = kStates[state];
      say(kStates[state]);
    }
  }
}

/** Shows the job of the page's address as it is, again and again. */
export function follow(show) {
  new Follower(show).ask();
}
