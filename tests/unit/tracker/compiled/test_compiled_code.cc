// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/compiled_code.h"

#include <string>
#include <vector>

#include "tests/unit/torch_doctest.h"

#include "tests/unit/samples.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/compiled/side_files.h"

namespace commtap {
namespace {

/// The state that the Python part would read on this thread.
struct FakePython {
  const void* instruction = nullptr; ///< null: no compiled code runs
  bool interprets = false;           ///< an interpreter of graphs runs
  uint32_t line = 0;
  std::string text;                 ///< "": it cannot be read
  std::vector<std::string> regions; ///< what the calls of the regions around it read, innermost first
  uint32_t named = kCommtapUnknownModule;
  int reads = 0;
  int most = 0;
};

FakePython& fake() {
  static FakePython instance;
  return instance;
}

constexpr CommtapPython kFakePart = {
    .abi = COMMTAP_PYTHON_ABI,
    .python_minor = 0,
    .start = nullptr,
    .set_enabled = nullptr,
    .observe = nullptr,
    .module_id = nullptr,
    .tensor_class = nullptr,
    .modules_in_frames = nullptr,
    .running_torch_function = nullptr,
    .may_run_work = nullptr,
    .running_work = nullptr,
    .tensors_in = nullptr,
    .trained_parameter = nullptr,
    .find_site =
        [](int most, CommtapSite* site) {
          fake().most = most;
          *site = {{fake().instruction, fake().interprets ? nullptr : fake().instruction}, {}};
          for (size_t i = 0; i < fake().regions.size(); ++i) {
            site->regions[i] = {&fake().regions[i], &fake().regions[i]};
          }
          return fake().instruction != nullptr ? 1 : 0;
        },
    .read_call =
        [](const CommtapGraphCall* call, uint32_t* line, CommtapTakeText take, void* data) {
          ++fake().reads;
          if (call->code != fake().instruction) {
            *line = 0;
            take(data, static_cast<const std::string*>(call->code)->c_str());
            return 1;
          }
          *line = fake().line;
          if (fake().text.empty()) {
            return 0;
          }
          take(data, fake().text.c_str());
          return 1;
        },
    .module_at = [](const CommtapSite*, const char*) { return fake().named; },
    .forward_node = [](const CommtapSite*) -> int64_t { return -1; },
    .watch_compiler = [] { return 1; },
};

class CompiledFixture : public TrackerFixture {
 public:
  CompiledFixture() {
    fake() = {};
    fake().instruction = &instructions_[next_++];
    CompiledCode::setPython(&kFakePart);
    root = add(0, "Model");
    down = add(root, "layers.0");
    down = add(down, "down");
  }
  CompiledFixture(const CompiledFixture&) = delete;
  CompiledFixture& operator=(const CompiledFixture&) = delete;
  ~CompiledFixture() {
    CompiledCode::setPython(nullptr);
    for (const uint32_t module : added_) { // a later test's roots are the only ones
      ModuleRegistry::get().died(module);
    }
  }

  uint32_t add(uint32_t parent, std::string_view component) {
    added_.push_back(ModuleRegistry::get().add(parent, component, "C", ModuleRole::kPlain, false));
    return added_.back();
  }

  /// Returns the origin of a collective that was attributed to the compiled module `entry`.
  static Origin origin(uint32_t entry, bool in_engine = false) {
    Origin found;
    found.module = found.issued_in = entry;
    found.phase = in_engine ? Phase::kBackward : (entry == kGlobalModule ? Phase::kOther : Phase::kForward);
    CHECK(CompiledCode::attribute(in_engine, found).is_compiled);
    return found;
  }

  uint32_t root = 0;
  uint32_t down = 0;

 private:
  std::vector<uint32_t> added_;
  static inline char instructions_[100]; ///< sites are remembered for ever: each test has one of its own
  static inline int next_ = 0;
};

TEST_CASE_FIXTURE(CompiledFixture, "a collective outside of compiled code keeps its origin") {
  fake().instruction = nullptr;
  Origin found;
  found.module = root;
  CHECK_FALSE(CompiledCode::attribute(false, found).is_compiled);
  CHECK(found.module == root);
  CompiledCode::setPython(nullptr);
  CHECK_FALSE(CompiledCode::attribute(false, found).is_compiled);
}

TEST_CASE_FIXTURE(CompiledFixture, "the node's module is attributed, the compiled module issues") {
  fake().text = "f\tL['self'].layers.0.down";
  for (int i = 0; i < 3; ++i) {
    const Origin found = origin(root);
    CHECK(found.module == down);
    CHECK(found.issued_in == root);
    CHECK(found.phase == Phase::kForward);
    CHECK(found.missed == Origin::kNothing);
  }
  CHECK(fake().reads == 1);
}

TEST_CASE_FIXTURE(CompiledFixture, "instances that share their code have their own modules") {
  const uint32_t other = add(0, "Model");
  const uint32_t others_down = add(add(other, "layers.0"), "down");
  fake().text = "f\tL['self'].layers.0.down";
  CHECK(origin(root).module == down);
  CHECK(origin(other).module == others_down);
  CHECK(origin(root).module == down);
  CHECK(fake().reads == 1);
}

TEST_CASE_FIXTURE(CompiledFixture, "a forward node that a backward runs is recompute") {
  fake().text = "f\tL['self'].layers.0.down";
  CHECK(origin(root, /*in_engine=*/true).phase == Phase::kRecompute);
}

TEST_CASE_FIXTURE(CompiledFixture, "a backward node is backward, also in the graph of a whole step") {
  fake().text = "b\tL['self'].layers.0.down";
  CHECK(origin(root, /*in_engine=*/true).phase == Phase::kBackward);
  CHECK(origin(root).phase == Phase::kBackward);
}

TEST_CASE_FIXTURE(CompiledFixture, "a merged collective belongs to the nearest common ancestor") {
  const uint32_t up = add(ModuleRegistry::get().parentOf(down), "up");
  CHECK(up != down);
  Origin found;
  found.module = found.issued_in = root;
  SUBCASE("its parts are known") {
    fake().text = "f 8 24\tL['self'].layers.0.down\tL['self'].layers.0.up";
    for (int i = 0; i < 2; ++i) {
      const CompiledCall call = CompiledCode::attribute(false, found);
      REQUIRE(call.merged);
      REQUIRE(call.merged->size() == 2);
      CHECK(call.merged->at(0).module == down);
      CHECK(call.merged->at(1).module == up);
      CHECK(call.merged->at(1).size == 24);
    }
  }
  SUBCASE("their sizes are not") {
    fake().text = "f\tL['self'].layers.0.down\tL['self'].layers.0.up";
    const CompiledCall call = CompiledCode::attribute(false, found);
    REQUIRE(call.merged);
    CHECK(call.merged->empty());
  }
  CHECK(found.module == ModuleRegistry::get().parentOf(down));
}

TEST_CASE_FIXTURE(CompiledFixture, "a collective that nothing merged has no parts") {
  fake().text = "f\tL['self'].layers.0.down";
  Origin found;
  found.module = found.issued_in = root;
  CHECK(CompiledCode::attribute(false, found).merged == nullptr);
}

TEST_CASE_FIXTURE(CompiledFixture, "a node of no module belongs to the compiled module") {
  fake().text = "f";
  const Origin found = origin(root);
  CHECK(found.module == root);
  CHECK(found.missed == Origin::kNothing);
}

TEST_CASE_FIXTURE(CompiledFixture, "a backward's node of no module is said outside of modules") {
  fake().text = "b";
  CHECK(origin(root).missed == Origin::kNothing);
  const Origin found = origin(kGlobalModule);
  CHECK(found.missed == NotSeen::kCompiledUnattributed);
  CHECK(found.phase == Phase::kBackward);
}

TEST_CASE_FIXTURE(CompiledFixture, "a region's collective belongs to the module that calls the region") {
  const uint32_t called = add(add(root, "layers.1"), "down");
  fake().text = "f\tL['self'].layers.0.down";
  SUBCASE("one region") {
    fake().regions = {"r\tL['self'].layers.0\tL['self'].layers.1"};
    for (int i = 0; i < 2; ++i) {
      CHECK(origin(root).module == called);
    }
    CHECK(fake().reads == 2); // the collective's call and the region's, once
  }
  SUBCASE("one in another") {
    fake().regions = {"r\tL['self'].layers.0.down\tL['self'].layers.0.up", "r\tL['self'].layers.0\tL['self'].layers.1"};
    const uint32_t up = add(ModuleRegistry::get().parentOf(called), "up");
    CHECK(origin(root).module == up);
  }
  SUBCASE("a call that is of no region") {
    fake().regions = {"f\tL['self'].layers.1"};
    CHECK(origin(root).module == down);
  }
  SUBCASE("the modules of the call are not known") {
    fake().text = "b\tL['self'].layers.0.down";
    fake().regions = {"r"};
    const Origin found = origin(root, /*in_engine=*/true);
    CHECK(found.module == root);
    CHECK(found.phase == Phase::kBackward);
    CHECK(found.missed == NotSeen::kCompiledUnattributed);
  }
}

TEST_CASE_FIXTURE(CompiledFixture, "what the process's own graph has of a cached file holds outside of a backward") {
  const TempFolder cache;
  const std::string path = cache.path() + "/aa/caaafilledwithoutcommtap.py";
  REQUIRE(CompiledCode::wantsGraph(path));
  CompiledCode::graphLoaded(path, "10\t10\to\tL['self'].layers.0.down\n");
  CHECK_FALSE(CompiledCode::wantsGraph(path));
  fake().text = path;
  fake().line = 10;
  CHECK(origin(root).module == down);
  const Origin backward = origin(root, /*in_engine=*/true);
  CHECK(backward.module == root);
  CHECK(backward.phase == Phase::kBackward);
  CHECK(backward.missed == NotSeen::kCompiledUnattributed);
}

TEST_CASE_FIXTURE(CompiledFixture, "an interpreter's site is another node at each call") {
  fake().interprets = true;
  fake().text = "f\tL['self'].layers.0.down";
  CHECK(origin(root).module == down);
  fake().text = "b\tL['self'].layers.0";
  const Origin found = origin(root);
  CHECK(found.module == ModuleRegistry::get().parentOf(down));
  CHECK(found.phase == Phase::kBackward);
}

TEST_CASE_FIXTURE(CompiledFixture, "what is not known stays at the compiled module, and is said") {
  SUBCASE("the node cannot be read") {}
  SUBCASE("the module is not there") {
    fake().text = "f\tL['self'].layers.7";
  }
  SUBCASE("the file has no side file") {
    fake().text = "/nowhere/ab/cabcdef.py";
    fake().line = 7;
  }
  const Origin found = origin(root);
  CHECK(found.module == root);
  CHECK(found.missed == NotSeen::kCompiledUnattributed);
}

TEST_CASE_FIXTURE(CompiledFixture, "in a function's graph the function's variables give the module, at each call") {
  fake().text = "f\tL['model'].layers.0.down";
  fake().named = down;
  const Origin found = origin(kGlobalModule);
  CHECK(found.module == down);
  CHECK(found.phase == Phase::kForward);
  const uint32_t other = add(add(add(0, "Model"), "layers.0"), "down");
  fake().named = other;
  CHECK(origin(kGlobalModule).module == other);
}

TEST_CASE_FIXTURE(CompiledFixture, "the backward of a function's graph has the only module of its name") {
  fake().text = "b\tL['model'].layers.0.down";
  CHECK(origin(kGlobalModule, /*in_engine=*/true).module == down);
  const uint32_t other = add(add(add(0, "Model"), "layers.0"), "down");
  CHECK(other != down);
  CHECK(origin(kGlobalModule, /*in_engine=*/true).missed == NotSeen::kCompiledUnattributed);
}

TEST_CASE_FIXTURE(CompiledFixture, "a generated file's lines are known in this process, and in later ones") {
  const TempFolder cache;
  const std::string key = "ckeyofafilethatinductorgenerates";
  CompiledCode::graphGenerated(cache.path(), key, "10\t12\tf\tL['self'].layers.0.down\n");
  CHECK(SideFiles(cache.path()).read(key));
  fake().text = cache.path() + "/ke/" + key + ".py";
  fake().line = 11;
  CHECK(origin(root).module == down);

  const std::string later = "cwrittenbyanotherprocess";
  REQUIRE(SideFiles(cache.path()).write(later, "10\t12\tf\tL['self'].layers.0.down\n") == "");
  fake().instruction = &fake();
  fake().text = cache.path() + "/wr/" + later + ".py";
  CHECK(origin(root).module == down);
}

} // namespace
} // namespace commtap
