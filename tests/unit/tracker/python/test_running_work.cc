// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/running_work.h"

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

/// Makes `look()`, which notes the work of the functions that run, and `ask()`, which notes whether the engine runs
/// one.
class WorkFixture {
 public:
  WorkFixture() {
    startRunningWork();
    torch_.define("look", [this] {
      may_run_ = mayRunWork() != 0;
      const PendingError pending;
      const RunningWork work = runningWork();
      what_ = work.what;
      class_ = work.module ? Py_TYPE(work.module.get())->tp_name : "";
    });
    torch_.define("ask", [this] { in_engine_ = runsInEngine() != 0; });
  }

 protected:
  const FakeTorch torch_{R"(
class Optimizer:
    def __init__(self): self.param_groups = []
    def step(self, closure=None): look()

class Engine(Module):
    def backward(self, loss): look()
    def step(self): look()

class Wrapper(DistributedDataParallel):
    def __init__(self, module):
        super().__init__(module)
        look()

class Part(Module):
    def __init__(self):
        super().__init__()
        look()
)"};
  bool may_run_ = false;
  bool in_engine_ = false;
  CommtapWork what_ = kCommtapNoWork;
  std::string class_;
};

TEST_CASE_FIXTURE(WorkFixture, "the step of an optimizer is known by its parameter groups, of whichever class it is") {
  torch_.run("Optimizer().step()");
  CHECK(may_run_);
  CHECK(what_ == kCommtapOptimizerStep);
  CHECK(class_.empty());
  torch_.run("Optimizer().step(lambda: 1)");
  CHECK(what_ == kCommtapOptimizerStepWithClosure);
}

TEST_CASE_FIXTURE(WorkFixture, "the parameter groups can be a property, which is not evaluated") {
  torch_.run(R"(
class Lazy:
    @property
    def param_groups(self): raise RuntimeError("evaluated")
    def step(self): look()
Lazy().step()
)");
  CHECK(what_ == kCommtapOptimizerStep);
}

TEST_CASE_FIXTURE(WorkFixture, "the step of a module, of a scheduler, or of no object is other work") {
  torch_.run("engine = Engine()\nengine.param_groups = []\nengine.step()");
  CHECK(may_run_);
  CHECK(what_ == kCommtapOtherWork);
  torch_.run("class Scheduler:\n    def step(self): look()\nScheduler().step()");
  CHECK(what_ == kCommtapOtherWork);
  torch_.run("def step(batch): look()\nstep(1)");
  CHECK_FALSE(may_run_);
  CHECK(what_ == kCommtapOtherWork);
}

TEST_CASE_FIXTURE(WorkFixture, "a module's method for its gradients is its backward") {
  torch_.run("Engine().backward(1)");
  CHECK(may_run_);
  CHECK(what_ == kCommtapBackward);
  CHECK(class_ == "Engine");
  torch_.run("class Loss:\n    def backward(self): look()\nLoss().backward()");
  CHECK(what_ == kCommtapOtherWork);
}

TEST_CASE_FIXTURE(WorkFixture, "the constructor of a wrapper sets it up; that of a part of a model is other work") {
  torch_.run("Wrapper(Net())");
  CHECK(what_ == kCommtapSetUp);
  CHECK(class_ == "Wrapper");
  torch_.run("Part()");
  CHECK(may_run_);
  CHECK(what_ == kCommtapOtherWork);
}

TEST_CASE_FIXTURE(WorkFixture, "the innermost work counts, and what called autograd's engine does not") {
  torch_.run(R"(
engine = Engine()
class Outer(Optimizer):
    def step(self): engine.backward(1)
Outer().step()
)");
  CHECK(what_ == kCommtapBackward);
  torch_.run(R"(
def _engine_run_backward(): look()
class Closing(Optimizer):
    def step(self): _engine_run_backward()
Closing().step()
)");
  CHECK_FALSE(may_run_);
  CHECK(what_ == kCommtapOtherWork);
}

TEST_CASE_FIXTURE(WorkFixture, "the engine runs Python if a function runs that is not the one around the backward") {
  torch_.run(R"(
def _engine_run_backward(callback=None): ask() if callback is None else callback()
_engine_run_backward()
)");
  CHECK_FALSE(in_engine_);
  torch_.run("_engine_run_backward(lambda: ask())");
  CHECK(in_engine_);
}

TEST_CASE_FIXTURE(WorkFixture, "a method that has deleted its object is other work") {
  torch_.run(R"(
class Gone(Optimizer):
    def step(self):
        del self
        look()
Gone().step()
)");
  CHECK(what_ == kCommtapOtherWork);
}

} // namespace
} // namespace commtap
