// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/steps.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/core/grad_mode.h>
#include <pthread.h>

#include <functional>
#include <optional>
#include <string>

#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

enum class Gradients : uint8_t { kOn, kOff };

void forward(Gradients gradients) {
  const at::AutoGradMode mode(gradients == Gradients::kOn);
  Steps::forwardBegins(ProcessLedger::ledger());
}

/// Returns the forwards of each step that `body` makes in a process of its own, the running step included, and what
/// ended the last: "2 2 1 optimizer". With `marks`, a * is behind those of a step that trained.
std::string forwardsPerStep(const std::function<void()>& body, bool marks = false) {
  const ChildResult child = TrackerFixture::runInTrackedChild([&] {
    Steps::resetInForkedChild(); // other tests have run forwards in this process
    body();
    std::string forwards;
    for (const Step& step : TrackerFixture().report().steps) {
      forwards += std::to_string(step.forward_passes) + (marks && step.training_steps ? "* " : " ");
    }
    const std::optional<StepSign> sign = TrackerFixture().report().job.steps_from;
    sayLine(forwards + (sign ? std::string(stepSignName(*sign)) : "null"));
  });
  CHECK(child.status == 0);
  return child.said;
}

TEST_CASE_FIXTURE(TrackerFixture, "a step ends with the first forward after an optimizer has stepped") {
  const std::string forwards = forwardsPerStep([] {
    for (int step = 0; step < 3; ++step) {
      Steps::gradientsZeroed();
      forward(Gradients::kOn);
      forward(Gradients::kOn);
      Steps::optimizerStepped();
      Steps::optimizerStepped();
      Steps::gradientsZeroed();
    }
    forward(Gradients::kOff);
    forward(Gradients::kOff);
  });
  CHECK(forwards == "2 2 2 2 optimizer\n");
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "the steps in which an optimizer steps train, and forwards before and behind do not") {
  const std::string forwards = forwardsPerStep(
      [] {
        forward(Gradients::kOff);
        forward(Gradients::kOff);
        for (int step = 0; step < 2; ++step) {
          forward(Gradients::kOn);
          Steps::optimizerStepped();
        }
        forward(Gradients::kOn);
      },
      true);
  CHECK(forwards == "1 1 1* 1* 1 optimizer\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "what another sign has ended before the first optimizer steps does not train") {
  const std::string forwards = forwardsPerStep(
      [] {
        forward(Gradients::kOn);
        for (int step = 0; step < 2; ++step) {
          Steps::gradientsZeroed();
          forward(Gradients::kOn);
          forward(Gradients::kOn);
          Steps::optimizerStepped();
        }
      },
      true);
  CHECK(forwards == "1 2* 2* optimizer\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "without an optimizer, steps with a forward with gradients train") {
  const std::string forwards = forwardsPerStep(
      [] {
        forward(Gradients::kOff);
        for (int step = 0; step < 2; ++step) {
          Steps::gradientsZeroed();
          forward(Gradients::kOn);
        }
        Steps::gradientsZeroed();
        forward(Gradients::kOff);
      },
      true);
  CHECK(forwards == "1 1* 1* 1 zero_grad\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "a closure's cleared gradients end no step inside the optimizer's") {
  const std::string forwards = forwardsPerStep([] {
    for (int step = 0; step < 3; ++step) {
      Steps::optimizerBegins();
      for (int call = 0; call < 2; ++call) {
        Steps::gradientsZeroed();
        forward(Gradients::kOn);
      }
      Steps::optimizerStepped();
    }
  });
  CHECK(forwards == "2 2 2 optimizer\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "the backwards of a closure are counted among all of their step") {
  const int64_t before = Steps::lastBackward();
  Steps::inBackward(before + 1);
  const int64_t last = Steps::lastBackward();
  CHECK(last == before + 1);
  Steps::inBackward(before + 2);
  Steps::inBackward(before + 4);
  Steps::inClosure(last);
  const Step step = report().steps.back();
  CHECK(step.backward_passes == 4);
  CHECK(step.closure_passes == 3);
}

TEST_CASE_FIXTURE(TrackerFixture, "a collective for the next forward ends the step after an optimizer has stepped") {
  const std::string forwards = forwardsPerStep([] {
    Steps::inForward();
    forward(Gradients::kOn);
    Steps::inForward();
    Steps::optimizerStepped();
    Steps::inForward();
    CHECK(TrackerFixture().report().steps.size() == 2);
    Steps::inForward();
    forward(Gradients::kOn);
    Steps::inForward();
  });
  CHECK(forwards == "1 1 optimizer\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "a collective for a forward ends no step of a process that only evaluates") {
  const std::string forwards = forwardsPerStep([] {
    forward(Gradients::kOff);
    Steps::inForward();
    forward(Gradients::kOff);
  });
  CHECK(forwards == "1 1 forward\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "cleared gradients end a step as long as no optimizer was seen") {
  const std::string forwards = forwardsPerStep([] {
    for (int step = 0; step < 3; ++step) {
      Steps::gradientsZeroed();
      forward(Gradients::kOn);
      forward(Gradients::kOn);
    }
  });
  CHECK(forwards == "2 2 2 zero_grad\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "forwards without gradients are steps until something trains") {
  const std::string forwards = forwardsPerStep([] {
    forward(Gradients::kOff);
    forward(Gradients::kOff);
    forward(Gradients::kOn);
    forward(Gradients::kOn);
    forward(Gradients::kOff);
  });
  CHECK(forwards == "1 1 3 forward\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "a changed parameter ends a step as long as no optimizer was seen") {
  const std::string forwards = forwardsPerStep([] {
    for (const bool changed : {false, false, true, false, true}) {
      if (changed) {
        Steps::parametersChanged();
      }
      forward(Gradients::kOn);
    }
  });
  CHECK(forwards == "2 2 1 parameters\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "parameters are no sign once an optimizer, cleared gradients or a mark were seen") {
  for (const auto& sign : {Steps::optimizerStepped, Steps::gradientsZeroed, Steps::mark}) {
    const ChildResult child = TrackerFixture::runInTrackedChild([&] {
      Steps::resetInForkedChild();
      const bool before = Steps::seekParameters();
      sign();
      sayLine(before && !Steps::seekParameters() ? "ends" : "goes on");
    });
    CHECK(child.said == "ends\n");
  }
}

/// Returns whether a collective outside of all is set-up after `body` ran in a process of its own: "yes" or "no".
std::string isSetupAfter(const std::function<void()>& body) {
  return TrackerFixture::runInTrackedChild([&] {
           Steps::resetInForkedChild(); // other tests have run forwards in this process
           body();
           sayLine(Steps::isSetup(Phase::kOther, false) ? "yes" : "no");
         })
      .said;
}

/// Runs a forward on a thread whose stack is larger than those of the parent's threads: it is not one of theirs, whose
/// ids ThreadSanitizer still has after the fork.
void forwardOnThread() {
  constexpr size_t kStackBytes = 64U << 20U;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const auto run = [](void*) -> void* {
    forward(Gradients::kOn);
    return nullptr;
  };
  pthread_t thread{};
  REQUIRE(pthread_create(&thread, &attributes, run, nullptr) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST_CASE_FIXTURE(TrackerFixture, "set-up ends with the first forward, of any thread and with gradients or without") {
  CHECK(isSetupAfter([] {}) == "yes\n");
  CHECK(isSetupAfter([] { forward(Gradients::kOn); }) == "no\n");
  CHECK(isSetupAfter([] { forward(Gradients::kOff); }) == "no\n");
  CHECK(isSetupAfter(forwardOnThread) == "no\n");
  CHECK(isSetupAfter([] {
          Steps::gradientsZeroed();
          Steps::optimizerStepped(); // as a library that makes the optimizer's state
        }) == "yes\n");
  CHECK(isSetupAfter([] { Steps::mark(); }) == "no\n");
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "set-up ends with a forward, backward or compiled graph whose beginning was not seen") {
  for (const Phase phase : {Phase::kForward, Phase::kBackward, Phase::kRecompute}) {
    CHECK(isSetupAfter([phase] { CHECK_FALSE(Steps::isSetup(phase, false)); }) == "no\n");
  }
  CHECK(isSetupAfter([] { CHECK_FALSE(Steps::isSetup(Phase::kOther, true)); }) == "no\n");
  CHECK(isSetupAfter([] { CHECK(Steps::isSetup(Phase::kOptimizer, false)); }) == "yes\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "a forked process has a set-up of its own, unless module calls were not seen") {
  CHECK(isSetupAfter([] {
          forward(Gradients::kOn);
          Steps::resetInForkedChild();
        }) == "yes\n");
  CHECK(isSetupAfter([] {
          Steps::forwardsUnseen();
          Steps::resetInForkedChild();
        }) == "no\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "without a sign the first step goes on") {
  const std::string forwards = forwardsPerStep([] {
    forward(Gradients::kOn);
    forward(Gradients::kOn);
  });
  CHECK(forwards == "2 null\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "the sign of the first step is known before a forward ends it") {
  const std::string stepped = forwardsPerStep([] {
    forward(Gradients::kOn);
    Steps::gradientsZeroed();
    Steps::optimizerStepped();
  });
  CHECK(stepped == "1 optimizer\n");
  const std::string marked = forwardsPerStep([] {
    forward(Gradients::kOn);
    Steps::mark();
    Steps::optimizerStepped();
  });
  CHECK(marked == "1 0 mark\n");
  const std::string zeroed = forwardsPerStep([] {
    forward(Gradients::kOff);
    forward(Gradients::kOff);
    Steps::optimizerStepped();
  });
  CHECK(zeroed == "1 1 forward\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "an optimizer ends the time in which forwards without gradients are steps") {
  const std::string forwards = forwardsPerStep([] {
    forward(Gradients::kOff);
    Steps::optimizerStepped();
    forward(Gradients::kOff);
    forward(Gradients::kOff);
  });
  CHECK(forwards == "1 2 optimizer\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "after a mark nothing else ends a step") {
  const std::string forwards = forwardsPerStep([] {
    forward(Gradients::kOff);
    Steps::mark();
    forward(Gradients::kOff);
    forward(Gradients::kOff);
    Steps::optimizerStepped();
    Steps::gradientsZeroed();
    forward(Gradients::kOn);
    Steps::mark();
  });
  CHECK(forwards == "1 3 0 mark\n");
}

} // namespace
} // namespace commtap
