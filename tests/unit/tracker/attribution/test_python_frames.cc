// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/python_frames.h"

#include "tests/unit/torch_doctest.h"

#include <algorithm>
#include <vector>

#include "report/ledger/ledger_format.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"

namespace commtap {
namespace {

/// The modules that the job's frames name, and the question that was asked last.
struct NamedModules {
  std::vector<uint32_t> ids;
  CommtapInFrames what = kCommtapRunningUnit;
  uint32_t number = 0;
};
NamedModules named_modules;

size_t nameModules(CommtapInFrames what, uint32_t number, uint32_t* modules, size_t capacity) {
  named_modules.what = what;
  named_modules.number = number;
  const size_t count = std::min(capacity, named_modules.ids.size());
  std::copy_n(named_modules.ids.begin(), count, modules);
  return named_modules.ids.size();
}

class PythonFramesFixture : public TrackerFixture {
 public:
  PythonFramesFixture() {
    setModulesInFrames(nameModules);
  }
  ~PythonFramesFixture() {
    setModulesInFrames(nullptr);
    setRunningTorchFunction(nullptr);
  }

 protected:
  static std::optional<uint32_t> moduleOf(std::vector<uint32_t> ids) {
    named_modules.ids = std::move(ids);
    return moduleInFrames(kCommtapPipelineStage, 3);
  }
};

TEST_CASE_FIXTURE(PythonFramesFixture, "several modules are known as their nearest common ancestor, except Global") {
  ModuleRegistry& modules = ModuleRegistry::get();
  const uint32_t root = modules.add(0, "Framed", "C", ModuleRole::kPlain, false);
  const uint32_t layer = modules.add(root, "layer", "C", ModuleRole::kPlain, false);
  const uint32_t a = modules.add(layer, "a", "C", ModuleRole::kPlain, false);
  const uint32_t b = modules.add(layer, "b", "C", ModuleRole::kPlain, false);
  const uint32_t other = modules.add(0, "Framed2", "C", ModuleRole::kPlain, false);
  CHECK(moduleOf({a}) == a);
  CHECK(moduleOf({a, b}) == layer);
  CHECK(moduleOf({a, root}) == root);
  CHECK_FALSE(moduleOf({a, other}));
  CHECK_FALSE(moduleOf({}));
  CHECK(named_modules.what == kCommtapPipelineStage);
  CHECK(named_modules.number == 3);
}

TEST_CASE_FIXTURE(PythonFramesFixture, "more modules than are asked for are no error") {
  const uint32_t root = ModuleRegistry::get().add(0, "Many", "C", ModuleRole::kPlain, false);
  CHECK(moduleOf(std::vector<uint32_t>(1000, root)) == root);
}

TEST_CASE_FIXTURE(PythonFramesFixture, "a call belongs to the outermost running forward of a module that contains it") {
  ModuleRegistry& modules = ModuleRegistry::get();
  const uint32_t root = modules.add(0, "Forwarded", "C", ModuleRole::kPlain, false);
  const uint32_t block = modules.add(root, "block", "C", ModuleRole::kPlain, false);
  const uint32_t layer = modules.add(block, "layer", "C", ModuleRole::kPlain, false);
  const uint32_t stranger = modules.add(0, "ForwardedStranger", "C", ModuleRole::kPlain, false);
  named_modules.ids = {block, stranger, root};
  CHECK(moduleOfRunningForward(layer) == root);
  CHECK(named_modules.what == kCommtapRunningForwards);
  named_modules.ids = {stranger};
  CHECK(moduleOfRunningForward(layer) == layer);
  named_modules.ids.clear();
  CHECK(moduleOfRunningForward(layer) == layer);
}

TEST_CASE_FIXTURE(PythonFramesFixture, "a step has a closure if a frame has one") {
  named_modules.ids = {kGlobalModule};
  CHECK(stepHasClosure());
  CHECK(named_modules.what == kCommtapStepClosure);
  named_modules.ids.clear();
  CHECK_FALSE(stepHasClosure());
}

TEST_CASE_FIXTURE(PythonFramesFixture, "without Python no frame names anything") {
  setModulesInFrames(nullptr);
  CHECK_FALSE(moduleOf({1}));
  CHECK_FALSE(stepHasClosure());
  CHECK(moduleOfRunningForward(1) == 1);
  CHECK(runningTorchFunction().label == nullptr);
  setRunningTorchFunction([] { return CommtapTorchFunction{"Join", kCommtapDdpBackward}; });
  CHECK(std::string_view(runningTorchFunction().label) == "Join");
  CHECK(runningTorchFunction().for_ddp == kCommtapDdpBackward);
  setRunningTorchFunction(nullptr);
}

TEST_CASE_FIXTURE(PythonFramesFixture, "the engine runs Python if the Python part says so") {
  CHECK_FALSE(pythonRunsInEngine());
  setRunsInEngine([] { return 1; });
  CHECK(pythonRunsInEngine());
  setRunsInEngine(nullptr);
  CHECK_FALSE(pythonRunsInEngine());
}

} // namespace
} // namespace commtap
