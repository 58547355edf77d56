// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/python_bridge.h"

#include "tests/unit/torch_doctest.h"

#include <functional>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/steps.h"

namespace commtap {
namespace {

std::vector<at::Tensor> parameters; ///< by module; an undefined tensor: the module has none
int looks = 0;

void* findParameter(void* module) {
  ++looks;
  const at::Tensor& found = *static_cast<const at::Tensor*>(module);
  return found.defined() ? found.unsafeGetTensorImpl() : nullptr;
}

void call(uint32_t module) {
  ParameterWatch::callBegins(module, &parameters[module], findParameter);
  Steps::forwardBegins(ProcessLedger::ledger());
}

/// Runs `body` in a process of its own. Returns the number of looks for a parameter and the forwards of each step.
std::string looksAndForwards(const std::function<void()>& body) {
  const ChildResult child = TrackerFixture::runInTrackedChild([&] {
    Steps::resetInForkedChild();
    body();
    std::string said = std::to_string(looks) + ":";
    for (const Step& step : TrackerFixture().report().steps) {
      said += " " + std::to_string(step.forward_passes);
    }
    sayLine(said);
  });
  CHECK(child.status == 0);
  return child.said;
}

TEST_CASE_FIXTURE(TrackerFixture, "a change in place of a model's parameter ends the step; one look shows it") {
  CHECK(looksAndForwards([] {
          parameters = {torch::ones({2}), torch::ones({2})};
          call(0);
          call(1);
          call(0);
          parameters[0].add_(1);
          call(1); // its own parameter has not changed
          call(0);
          call(0);
        }) == "2: 4 2\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "a change is seen by the next call with gradients") {
  CHECK(looksAndForwards([] {
          parameters = {torch::ones({2})};
          call(0);
          parameters[0].add_(1);
          {
            const at::AutoGradMode off(false);
            call(0);
          }
          call(0);
        }) == "1: 2 1\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "a module without parameters is looked at once, a lazy one until it has elements") {
  CHECK(looksAndForwards([] {
          parameters = {at::Tensor(), torch::ones({0})};
          for (int i = 0; i < 3; ++i) {
            call(0);
            call(1);
          }
          parameters[1] = torch::ones({2});
          call(1);
          parameters[1].add_(1);
          call(1);
        }) == "5: 7 1\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "the parameter may die, and only a few models are watched") {
  CHECK(looksAndForwards([] {
          parameters.assign(ParameterWatch::kMostModels + 1, torch::Tensor());
          for (at::Tensor& parameter : parameters) {
            parameter = torch::ones({2});
          }
          for (uint32_t module = 0; module < parameters.size(); ++module) {
            call(module);
          }
          parameters[0].reset();
          call(0);
          parameters.back().add_(1);
          call(static_cast<uint32_t>(parameters.size() - 1));
        }) == "8: 11\n");
}

} // namespace
} // namespace commtap
