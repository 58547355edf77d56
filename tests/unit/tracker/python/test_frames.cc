// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/running_work.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"
#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

using Labels = std::vector<std::string>;

/// Makes `look()`, which notes the objects that the frames name for one question.
class FramesFixture {
 public:
  FramesFixture() {
    python_.define("look", [this] { look(); });
  }

 protected:
  void look() {
    std::vector<PyRef> objects;
    {
      const PendingError pending;
      objects = modulesInFrames(what_, number_);
    }
    found_.clear();
    for (const PyRef& object : objects) {
      const PyRef text(PyObject_Str(object.get()));
      found_.push_back(textOf(text.get()));
    }
  }
  void ask(CommtapInFrames what, const char* text, uint32_t number = 0) {
    what_ = what;
    number_ = number;
    python_.run(text);
  }

  const EmbeddedPython python_{R"(
from types import SimpleNamespace as Object
class Raising:
    def __getattr__(self, name): raise RuntimeError(name)
)"};
  CommtapInFrames what_ = kCommtapRunningUnit;
  uint32_t number_ = 0;
  Labels found_;
};

TEST_CASE_FIXTURE(
    FramesFixture,
    "the modules of a unit are those of the object whose method runs, or of its caller's") {
  ask(kCommtapRunningUnit, "def unshard(self): look()\nunshard(Object(modules=('a', 'b')))");
  CHECK(found_ == Labels{"a", "b"});
  ask(kCommtapPrefetchingUnit, R"(
def prefetch(self): look()
def pre_backward(self): prefetch(Object(_modules=("inner",)))
pre_backward(Object(_modules=("outer",)))
)");
  CHECK(found_ == Labels{"outer"});
}

TEST_CASE_FIXTURE(FramesFixture, "an object without the attribute, with an odd one, or one that raises names nothing") {
  for (const char* const unit : {"Object()", "Object(modules=['a'])", "Raising()", "None"}) {
    ask(kCommtapRunningUnit, (std::string("def unshard(self): look()\nunshard(") + unit + ")").c_str());
    CHECK(found_.empty());
  }
  ask(kCommtapRunningUnit, "def free(): look()\nfree()");
  CHECK(found_.empty());
  ask(kCommtapPrefetchingUnit, "look()");
  CHECK(found_.empty());
}

TEST_CASE_FIXTURE(FramesFixture, "the reduced parameter's module is that of the nearest frame that reduces one") {
  python_.run(R"(
def parameter(name): return Object(_module_info=Object(module=name))
def _get_grad_inner_tensor(self, depth):
    deeper(depth)
def deeper(depth): look() if depth == 0 else deeper(depth - 1)
)");
  ask(kCommtapReducedParameter, "_get_grad_inner_tensor(parameter('fc'), 5)");
  CHECK(found_ == Labels{"fc"});
  ask(kCommtapReducedParameter, "_get_grad_inner_tensor(parameter('fc'), 60)");
  CHECK(found_.empty());
  ask(kCommtapReducedParameter, "_get_grad_inner_tensor(Object(_module_info=None), 0)");
  CHECK(found_.empty());
}

TEST_CASE_FIXTURE(FramesFixture, "a pipeline's stage is looked up by its number, or is the only one") {
  ask(kCommtapPipelineStage,
      R"(
def _step_microbatches(self):
    stage_index_to_stage = {0: Object(submod="first"), 3: Object(submod="last")}
    look()
_step_microbatches(Object())
)",
      3);
  CHECK(found_ == Labels{"last"});
  ask(kCommtapPipelineStage, "_step_microbatches(Object())", 1);
  CHECK(found_.empty());
  ask(kCommtapPipelineStage,
      R"(
def _step_microbatches(self): look()
_step_microbatches(Object(_stage=Object(submod="only")))
)",
      1);
  CHECK(found_ == Labels{"only"});
  ask(kCommtapPipelineStage, "def other(self): look()\nother(Object(_stage=Object(submod='only')))", 1);
  CHECK(found_.empty());
}

TEST_CASE_FIXTURE(FramesFixture, "the running forwards are those of modules, innermost first") {
  const FakeTorch torch(R"(
class Inner(Module):
    def forward(self): look()
    def __str__(self): return "inner"
class Outer(Module):
    def forward(self): Inner().forward()
    def other(self): look()
    def __str__(self): return "outer"
class Schedule:
    def forward(self, call): call()
)");
  torch.define("look", [this] { look(); });
  what_ = kCommtapRunningForwards;
  torch.run("Schedule().forward(Outer().forward)");
  CHECK(found_ == Labels{"inner", "outer"});
  torch.run("Schedule().forward(Outer().other)");
  CHECK(found_.empty());
}

TEST_CASE_FIXTURE(FramesFixture, "a step's closure is its second argument, or the one of that name") {
  python_.run("def step(*args, **kwargs): look()\noptimizer = 'optimizer'");
  ask(kCommtapStepClosure, "step(optimizer, 'closure')");
  CHECK(found_ == Labels{"closure"});
  ask(kCommtapStepClosure, "step(optimizer, closure='named')");
  CHECK(found_ == Labels{"named"});
  for (const char* const call :
       {"step(optimizer)", "step(optimizer, None)", "step(optimizer, closure=None)", "look()"}) {
    ask(kCommtapStepClosure, call);
    CHECK(found_.empty());
  }
}

TEST_CASE("the ranks of a new group are in the arguments that torch's timing passes on") {
  CommtapGroupRanks known = kCommtapUnknownRanks;
  std::vector<int64_t> ranks;
  const EmbeddedPython python("class Ranks(list):\n  pass\ndef wrapper(*args, **kwargs): look()");
  python.define("look", [&] {
    ranks.clear();
    known = newGroupsRanks(
        [](void* list, int64_t rank) { static_cast<std::vector<int64_t>*>(list)->push_back(rank); }, &ranks);
  });
  for (const char* const call : {"wrapper([0, 2])", "wrapper(ranks=(0, 2))", "wrapper(range(0, 3, 2), 'gloo')"}) {
    python.run(call);
    CHECK(known == kCommtapNamedRanks);
    CHECK(ranks == std::vector<int64_t>{0, 2});
  }
  for (const char* const call : {"wrapper()", "wrapper(None)", "wrapper(ranks=None)"}) {
    python.run(call);
    CHECK(known == kCommtapAllRanks);
  }
  for (const char* const call : {"wrapper(iter([0]))", "wrapper(Ranks([0]))", "wrapper(['a'])", "look()"}) {
    python.run(call);
    CHECK(known == kCommtapUnknownRanks);
  }
}

} // namespace
} // namespace commtap
