// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/running_work.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/core/grad_mode.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/attribution.h"
#include "tracker/core/clock.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/steps.h"

namespace commtap {
namespace {

/// The answer of the job's frames, and how often they were read.
struct Frames {
  CommtapWork work = kCommtapNoWork;
  int reads = 0;
  std::chrono::milliseconds takes{0};        ///< of CPU time
  std::chrono::milliseconds stands_still{0}; ///< the thread, as if the kernel ran another
};
Frames frames;

CommtapWork readFrames(uint32_t* module) {
  ++frames.reads;
  *module = 7;
  std::this_thread::sleep_for(frames.stands_still);
  const uint64_t began_ns = threadNow();
  while (threadNow() - began_ns < static_cast<uint64_t>(std::chrono::nanoseconds(frames.takes).count())) {
  }
  return frames.work;
}

std::string originOfCollective() {
  const Origin origin =
      currentOrigin(*ThreadState::current(), [] { return CallFacts{.kind = Kind::kAllReduce, .reads_frames = true}; });
  const std::string missed = origin.missed == Origin::kNothing ? "" : " " + std::string(notSeenName(origin.missed));
  return std::string(phaseName(origin.phase)) + " of " + std::to_string(origin.module) + missed + ", ";
}

std::string originWith(CommtapWork work) {
  frames.work = work;
  return originOfCollective();
}

/// Returns the result of `body` in a process of its own, in which frames have shown no work yet.
std::string saidBy(const std::function<std::string()>& body) {
  const ChildResult child = TrackerFixture::runInTrackedChild([&] {
    WorkInFrames::setFunctions([] { return frames.work == kCommtapNoWork ? 0 : 1; }, readFrames);
    sayLine(body());
  });
  CHECK(child.status == 0);
  return child.said;
}

TEST_CASE_FIXTURE(TrackerFixture, "the work of Python code gives a collective outside of all else its origin") {
  const std::string said = saidBy([] {
    return originWith(kCommtapNoWork) + originWith(kCommtapSetUp) + originWith(kCommtapBackward) +
           originWith(kCommtapOptimizerStep);
  });
  CHECK(said == "other of 0, other of 7, backward of 7, optimizer of 0, \n");
}

TEST_CASE_FIXTURE(TrackerFixture, "a closure of such a step runs with gradients, the step around it without") {
  const std::string said = saidBy([] {
    const std::string in_closure = originWith(kCommtapOptimizerStepWithClosure);
    const at::AutoGradMode off(false);
    return in_closure + originWith(kCommtapOptimizerStepWithClosure);
  });
  CHECK(said == "other of 0, optimizer of 0, \n");
}

TEST_CASE_FIXTURE(TrackerFixture, "such a step ends a step of the job with the next forward") {
  const std::string said = saidBy([] {
    Steps::forwardBegins(ProcessLedger::ledger());
    originWith(kCommtapOptimizerStep);
    Steps::forwardBegins(ProcessLedger::ledger());
    const Report report = TrackerFixture().report();
    return std::to_string(report.steps.size()) + " " + std::string(stepSignName(report.job.steps_from.value()));
  });
  CHECK(said == "2 optimizer\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "frames are not read in a module, in a torch optimizer's step, or for an op") {
  const std::string said = saidBy([] {
    frames.work = kCommtapOtherWork;
    ThreadState& thread = *ThreadState::current();
    for (const Scope::Type type : {Scope::Type::kModule, Scope::Type::kOptimizerStep}) {
      const uint32_t depth = thread.enter({type, false, 3});
      originOfCollective();
      thread.leave(depth);
    }
    currentOrigin(thread);
    return std::to_string(frames.reads);
  });
  CHECK(said == "0\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "the first step of a torch optimizer ends the search, unless another is around it") {
  const std::string said = saidBy([] {
    frames.work = kCommtapOptimizerStep;
    for (uint32_t i = 0; i < WorkInFrames::kMostSilentSteps; ++i) {
      WorkInFrames::torchStepBegins();
    }
    frames.work = kCommtapOtherWork;
    const int before = frames.reads;
    originOfCollective();
    WorkInFrames::torchStepBegins();
    originOfCollective();
    return std::to_string(frames.reads - before) + " " + originWith(kCommtapOptimizerStep);
  });
  CHECK(said == "2 other of 0, \n");
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "an optimizer around torch's that makes no collective ends the search after some steps") {
  const std::string said = saidBy([] {
    frames.work = kCommtapOptimizerStep;
    for (uint32_t i = 0; i <= WorkInFrames::kMostSilentSteps; ++i) {
      WorkInFrames::torchStepBegins();
    }
    return originOfCollective();
  });
  CHECK(said == "other of 0, \n");
}

TEST_CASE_FIXTURE(TrackerFixture, "work that frames have shown once is looked for from then on") {
  const std::string said = saidBy([] {
    originWith(kCommtapOptimizerStep);
    frames.work = kCommtapOtherWork;
    WorkInFrames::torchStepBegins();
    return originWith(kCommtapOptimizerStep);
  });
  CHECK(said == "optimizer of 0, \n");
}

TEST_CASE_FIXTURE(TrackerFixture, "looks in vain at functions with such names end after 50 ms, which is reported") {
  const std::string said = saidBy([] {
    frames.takes = std::chrono::milliseconds(30);
    const std::string nameless = originOfCollective() + originOfCollective() + originOfCollective();
    frames.work = kCommtapOtherWork;
    const std::string at_first = originOfCollective() + originOfCollective();
    const int reads = frames.reads;
    const std::string later = originOfCollective();
    return nameless + "\n" + at_first + later + std::to_string(frames.reads - reads);
  });
  CHECK(said == "other of 0, other of 0, other of 0, \nother of 0, other of 0, other of 0 frames_unread, 0\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "looks in vain while the kernel runs other threads do not end the search") {
  const std::string said = saidBy([] {
    frames.stands_still = std::chrono::milliseconds(30);
    frames.work = kCommtapOtherWork;
    const std::string in_vain = originOfCollective() + originOfCollective() + originOfCollective();
    return in_vain + originWith(kCommtapOptimizerStep);
  });
  CHECK(said == "other of 0, other of 0, other of 0, optimizer of 0, \n");
}

} // namespace
} // namespace commtap
