// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/compiled_sites.h"

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

constexpr const char* kFxFile = "<eval_with_key>.7";
constexpr const char* kGeneratedFile = "/cache/ab/cabcdefghijklmnopqrstuvwxyz0123456789.py";
constexpr const char* kInterpreterFile = "/env/torch/fx/interpreter.py";

/// Makes `look()`, which finds the site of the functions that run, and then calls `then` if there is one.
class SiteFixture {
 public:
  SiteFixture() {
    startCompiledSites();
    torch_.define("look", [this] {
      is_found_ = findSite(most_, site_);
      if (is_found_ && then_) {
        then_();
      }
    });
  }

 protected:
  const FakeTorch torch_;
  CommtapSite site_{};
  int most_ = 20;
  bool is_found_ = false;
  std::function<void()> then_;
};

TEST_CASE_FIXTURE(SiteFixture, "the code of an FX graph and that of a generated file are a graph's, by their files") {
  for (const char* const file : {kFxFile, kGeneratedFile}) {
    torch_.run("def call(): look()\ncall()", file);
    CHECK(is_found_);
    CHECK(site_.collective.code == torch_["call.__code__"].get());
    CHECK(site_.collective.instruction != nullptr);
  }
  for (const char* const file :
       {"/job/ab/model.py",
        "/cache/xy/cabcdefghijklmnopqrstuvwxyz0123456789.py",
        "cabcdefghijklmnopqrstuvwxyz0123456789.py",
        "/cache/ab/cabcdefghijklmnopqrstuvwxyz0123456789.txt",
        "ab/cabcdefghijklmnopqrstuvwxyz0123456789.py",
        "/.py"}) {
    torch_.run("def call(): look()\ncall()", file);
    CHECK_FALSE(is_found_);
    CHECK(site_ == CommtapSite{});
  }
}

TEST_CASE_FIXTURE(SiteFixture, "an interpreter of graphs is one call, whatever node it runs") {
  torch_.run("def run_node(self, n): look()\nrun_node(None, None)", kInterpreterFile);
  CHECK(site_.collective == CommtapGraphCall{torch_["run_node.__code__"].get(), nullptr});
  torch_.run("def run_node(self, n): look()\nrun_node(None, None)", "/job/interpreter.py");
  CHECK_FALSE(is_found_);
  torch_.run("def other(self, n): look()\nother(None, None)", kInterpreterFile);
  CHECK_FALSE(is_found_);
}

TEST_CASE_FIXTURE(
    SiteFixture,
    "a graph is looked for near the collective, and not outside of a module call or the engine") {
  torch_.run("def call(inner): inner()", kFxFile);
  torch_.run(R"(
def _call_impl(): look()
def _engine_run_backward(): look()
def near(): look()
def far(): near()
)");
  torch_.run("call(far)");
  CHECK(is_found_);
  most_ = 2;
  torch_.run("call(near)");
  CHECK(is_found_);
  torch_.run("call(far)");
  CHECK_FALSE(is_found_);
  most_ = 20;
  torch_.run("call(_call_impl)");
  CHECK_FALSE(is_found_);
  torch_.run("call(_engine_run_backward)");
  CHECK_FALSE(is_found_);
}

TEST_CASE_FIXTURE(SiteFixture, "the calls of regions around the collective belong to its site, innermost first") {
  torch_.run("def region(): look()\ndef call(): region()", kGeneratedFile);
  torch_.run("call()");
  CHECK(site_.collective.code == torch_["region.__code__"].get());
  CHECK(site_.regions[0].code == torch_["call.__code__"].get());
  CHECK(site_.regions[1].code == nullptr);
  torch_.run("def __call__(): region()\ndef _call_impl(): __call__()", "/env/torch/module.py");
  torch_.run("def region(): look()\ndef inner(): _call_impl()\ndef call(): inner()", kFxFile);
  torch_.run("call()");
  CHECK(site_.regions[0].code == torch_["inner.__code__"].get());
  CHECK(site_.regions[1].code == torch_["call.__code__"].get());
}

TEST_CASE_FIXTURE(
    SiteFixture,
    "a function between a generated file's own ends its regions; no more are kept than fit") {
  torch_.run("def between(): region()", "/job/model.py");
  torch_.run("def region(): look()\ndef call(): between()\ncall()", kGeneratedFile);
  CHECK(site_.collective.code == torch_["region.__code__"].get());
  CHECK(site_.regions[0].code == nullptr);
  torch_.run("def deep(n): look() if n == 0 else deep(n - 1)\ndeep(9)", kGeneratedFile);
  CHECK(site_.regions[kCommtapMostRegions - 1].code == torch_["deep.__code__"].get());
}

TEST_CASE_FIXTURE(SiteFixture, "a call in a generated file is its line and the file's path") {
  CallFacts facts;
  then_ = [&] {
    const PendingError pending;
    facts = readCall(site_.collective);
  };
  torch_.run("\n\ndef call():\n    pass\n    look()\ncall()", kGeneratedFile);
  CHECK(facts.line == 5);
  CHECK(facts.text == kGeneratedFile);
  facts = readCall(site_.collective);
  CHECK(facts.line == 0);
  CHECK(facts.text.empty());
}

TEST_CASE_FIXTURE(SiteFixture, "a call in an FX graph has the place of the node of its line") {
  std::string text;
  then_ = [&] {
    const PendingError pending;
    const CallFacts facts = readCall(site_.collective);
    CHECK(facts.line == 0);
    text = facts.text;
  };
  torch_.run(R"(
module = types.SimpleNamespace(
    _lineno_map={1: 0, 2: 1, 3: None, 4: 7}, graph=Graph(Node("x"), Node("y", stack="L['self'].fc")))
)");
  torch_.run(
      "def forward(self, line):\n    line == 1 and look()\n    line == 2 and look()\n    line == 3 and look()\n"
      "    line == 4 and look()\n    line == 5 and look()\n",
      kFxFile);
  const auto place_at = [&](const char* call) {
    text = "not read";
    torch_.run(call);
    return text;
  };
  CHECK(place_at("forward(module, 1)") == "f");
  CHECK(place_at("forward(module, 2)") == "f\tL['self'].fc");
  for (const char* const call :
       {"forward(module, 3)",
        "forward(module, 4)",
        "forward(module, 5)",
        "forward(Raising(), 2)",
        "forward(None, 2)"}) {
    CHECK(place_at(call).empty());
  }
}

TEST_CASE_FIXTURE(SiteFixture, "an interpreter's call has the place of the node that it runs") {
  std::string text;
  then_ = [&] { text = readCall(site_.collective).text; };
  torch_.run("def run_node(self, n): look()\nrun_node(None, Node('x', stack='model.fc'))", kInterpreterFile);
  CHECK(text == "f\tmodel.fc");
}

/// Returns the classes of the modules that modulesAlong() finds in a graph that `model`, `parts` and `table` run.
class AlongFixture : public SiteFixture {
 protected:
  std::string classesAlong(const char* source) {
    std::string classes;
    then_ = [&] {
      const PendingError pending;
      for (const PyRef& module : modulesAlong(site_, source)) {
        classes += std::string(Py_TYPE(module.get())->tp_name) + " ";
      }
    };
    torch_.run("def graph(): look()", kFxFile);
    torch_.run(R"(
def __compiled_fn_3(): graph()
def run(model, parts, table):
    __compiled_fn_3()
model = Net()
model.fc = Linear()
model.weight = 17
run(model, [None, Linear()], {"a": Linear(), "raising": Raising()})
)");
    return classes;
  }
};

TEST_CASE_FIXTURE(AlongFixture, "a source leads from a variable of the compiled function through its modules") {
  CHECK(classesAlong("L['model']") == "Net ");
  CHECK(classesAlong("L['model'].fc") == "Net Linear ");
  CHECK(classesAlong("L['parts'][1]") == "Linear ");
  CHECK(classesAlong("L['table']['a']") == "Linear ");
  CHECK(classesAlong("L[\"model\"]['fc']") == "Net Linear ");
  CHECK(classesAlong("G['model'].fc") == "Net Linear ");
}

TEST_CASE_FIXTURE(AlongFixture, "a source that ends at no module, or that is none, has no modules") {
  for (const char* const source :
       {"L['model'].none",
        "L['model'].weight",
        "L['none']",
        "L['parts'][0]",
        "L['parts'][9]",
        "L['table']['b']",
        "L['table']['raising'].fc",
        "G['none']",
        "model.fc",
        "L['model",
        "L['model']fc",
        "L[",
        ""}) {
    CHECK(classesAlong(source).empty());
  }
}

TEST_CASE_FIXTURE(SiteFixture, "without code that calls a compiled function a source has no modules") {
  size_t found = 99;
  then_ = [&] { found = modulesAlong(site_, "L['model']").size(); };
  torch_.run("def graph(model): look()\n", kFxFile);
  torch_.run("def run(model): graph(model)\nrun(Net())");
  CHECK(found == 0);
}

TEST_CASE_FIXTURE(SiteFixture, "the forward of a graph is the autograd node whose function runs it") {
  constexpr const char* kForwardFile = "/env/torch/_functorch/_aot_autograd/runtime_wrappers.py";
  int64_t number = 0;
  then_ = [&] {
    const PendingError pending;
    number = forwardNode(site_);
  };
  torch_.run("def graph(): look()", kFxFile);
  torch_.run("def forward(ctx): graph()\ndef other(ctx): graph()", kForwardFile);
  torch_.run(R"(
class Context:
    def __init__(self, number): self.number = number
    def _sequence_nr(self): return self.number
forward(Context(42))
)");
  CHECK(number == 42);
  for (const char* const call :
       {"forward(Context('x'))", "forward(Raising())", "forward(None)", "other(Context(42))", "graph()"}) {
    torch_.run(call);
    CHECK(number == -1);
  }
}

} // namespace
} // namespace commtap
