// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/compile_watch.h"

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

/// Dynamo's class, which is made once because the hook is in it, and a cache that is `cached` files of Inductor's.
class DynamoWatchFixture : public HostFixture {
 public:
  DynamoWatchFixture() {
    static const auto* const dynamo = new FakeTorch(R"(
class OutputGraph:
    def call_user_compiler(self, graph, inputs):
        return compile(graph)
compile = None
load("torch._dynamo.output_graph", OutputGraph=OutputGraph)
def use(compiler):
    global compile
    compile = compiler
OutputGraph.use = use
)");
    CHECK(dynamo != nullptr);
    watchDynamo(fakeHostTable());
    setDynamoWatched(true);
    torch_.run(R"(
import tempfile, os
OutputGraph = sys.modules["torch._dynamo.output_graph"].OutputGraph
cached = []
load("torch._inductor.codecache", PyCodeCache=types.SimpleNamespace(modules=cached))
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "file.py")
with open(path, "w") as file:
    file.write("# Topologically Sorted Source Nodes: [linear], Original ATen: [mine.send]\ntorch.ops.mine.send(x)\n")

def compiler(graph):
    cached.append(types.SimpleNamespace(__file__=path))
    return "compiled"

def failing(graph):
    compiler(graph)
    raise RuntimeError("compiler")

OutputGraph.use(compiler)
module = Graph(Node("mm", name="linear", stack="m.fc")).owning_module
)");
  }
  ~DynamoWatchFixture() {
    setDynamoWatched(false);
    torch_.run("folder.cleanup()\nsys.modules.pop('torch._inductor.codecache', None)");
  }

 protected:
  const FakeTorch torch_;
};

TEST_CASE_FIXTURE(
    DynamoWatchFixture,
    "the lines of a file that a compilation loads are reported, those of others are not") {
  torch_.run("cached.append(types.SimpleNamespace(__file__='/loaded/before.py'))");
  CHECK(torch_.text("OutputGraph().call_user_compiler(module, [])") == "compiled");
  REQUIRE(fakeHost().graphs.size() == 1);
  CHECK(fakeHost().graphs[0].file == torch_.text("path"));
  CHECK(fakeHost().graphs[0].lines == "2\t2\to\tm.fc\n");
}

TEST_CASE_FIXTURE(
    DynamoWatchFixture,
    "nothing is reported of a file that is known, of a failed compilation, or while Dynamo is not watched") {
  fakeHost().wants_graphs = false;
  torch_.run("OutputGraph().call_user_compiler(module, [])");
  fakeHost().wants_graphs = true;
  torch_.run(R"(
OutputGraph.use(failing)
try:
    OutputGraph().call_user_compiler(module, [])
    error = None
except RuntimeError as raised:
    error = str(raised)
OutputGraph.use(compiler)
)");
  CHECK(torch_.text("error") == "compiler");
  setDynamoWatched(false);
  CHECK(torch_.text("OutputGraph().call_user_compiler(module, [])") == "compiled");
  CHECK(fakeHost().graphs.empty());
}

TEST_CASE_FIXTURE(DynamoWatchFixture, "odd graphs and odd files are compiled as without the hook") {
  torch_.run(R"(
def odd(graph):
    cached.extend([17, Raising(), types.SimpleNamespace(__file__=""), types.SimpleNamespace(__file__="/none.py")])
    return "odd"
OutputGraph.use(odd)
)");
  CHECK(torch_.text("OutputGraph().call_user_compiler(Raising(), [])") == "odd");
  CHECK(torch_.text("OutputGraph().call_user_compiler(inputs=[], graph=module)") == "odd");
  REQUIRE(fakeHost().graphs.size() == 1);
  CHECK(fakeHost().graphs[0].file == "/none.py");
  CHECK(fakeHost().graphs[0].lines.empty());
  torch_.run("del sys.modules['torch._inductor.codecache']");
  CHECK(torch_.text("OutputGraph().call_user_compiler(module, [])") == "odd");
}

/// Inductor's classes, which are made once because the hooks are in them. `generate(text, line_map)` is what Inductor
/// does at the end of a file.
class InductorFixture : public HostFixture {
 public:
  InductorFixture() {
    static const auto* const inductor = new FakeTorch(R"(
class GraphLowering:
    save_output_code = None

class PythonWrapperCodegen:
    written = []
    def define_subgraph_launcher_fn(self, name, code):
        self.written.append(name)

load("torch._inductor.graph", GraphLowering=GraphLowering)
load("torch._inductor.codegen.wrapper", PythonWrapperCodegen=PythonWrapperCodegen)
)");
    CHECK(inductor != nullptr);
    REQUIRE(watchInductor(fakeHostTable()));
    setInductorWatched(true);
    torch_.run(R"(
GraphLowering = sys.modules["torch._inductor.graph"].GraphLowering
Wrapper = sys.modules["torch._inductor.codegen.wrapper"].PythonWrapperCodegen
load("torch._inductor.codecache", get_hash=lambda text: "hash of " + text[:6], cache_dir=lambda: "/cache")

def generated(line_map, value=""):
    return types.SimpleNamespace(line_map=line_map, value=value)

def generate(text, line_map):
    wrapper_code = generated(line_map)
    if GraphLowering.save_output_code is not None:
        GraphLowering.save_output_code(text)

fc = Node("x", stack="m.fc")
)");
  }
  ~InductorFixture() {
    setInductorWatched(false);
    torch_.run("sys.modules.pop('torch._inductor.codecache', None)");
  }

 protected:
  const FakeTorch torch_;
};

TEST_CASE_FIXTURE(InductorFixture, "the places of a file's collectives are reported, under its name in the cache") {
  torch_.run(R"(generate("\nimport x\ntorch.ops.mine.send(x)\n", [(3, fc)]))");
  REQUIRE(fakeHost().graphs.size() == 1);
  CHECK(fakeHost().graphs[0].folder == "/cache");
  CHECK(fakeHost().graphs[0].file == "hash of import");
  CHECK(fakeHost().graphs[0].lines == "3\t102\tf\tm.fc\n");
}

TEST_CASE_FIXTURE(InductorFixture, "the places of a function that was written before the file are its file's, once") {
  torch_.run(R"(
code = "def part(x):\n    torch.ops.mine.send(x)\n"
Wrapper().define_subgraph_launcher_fn("part", generated([(2, fc)], code))
generate("import x\n" + code, [])
generate("import x\n" + code, [])
)");
  CHECK(torch_.text("Wrapper.written[-1]") == "part");
  REQUIRE(fakeHost().graphs.size() == 1);
  CHECK(fakeHost().graphs[0].lines == "3\t3\tf\tm.fc\n");
}

TEST_CASE_FIXTURE(InductorFixture, "a file without collectives, or without a map, is not reported") {
  torch_.run(R"(
generate("import x\n", [(1, fc)])
generate("torch.ops.mine.send(x)\n", None)
GraphLowering.save_output_code("torch.ops.mine.send(x)\n")
GraphLowering.save_output_code(17)
)");
  CHECK(fakeHost().graphs.empty());
}

TEST_CASE_FIXTURE(InductorFixture, "odd functions, and a cache that raises, are generated as without the hook") {
  torch_.run(R"(
for code in 17, Raising(), generated([(1, fc)], 17), generated(17, 'torch.ops.mine.send(x)'):
    Wrapper().define_subgraph_launcher_fn("odd", code)
Wrapper().define_subgraph_launcher_fn(name="named", code=1)
load("torch._inductor.codecache", get_hash=lambda text: 1 / 0)
generate("torch.ops.mine.send(x)\n", [(1, fc)])
load("torch._inductor.codecache", get_hash=lambda text: 17, cache_dir=lambda: None)
generate("torch.ops.mine.send(x)\n", [(1, fc)])
)");
  CHECK(torch_.text("Wrapper.written[-5:]") == "['odd', 'odd', 'odd', 'odd', 'named']");
  CHECK(fakeHost().graphs.empty());
}

TEST_CASE_FIXTURE(
    InductorFixture,
    "nothing is reported while Inductor is not watched, or if a job takes the files itself") {
  setInductorWatched(false);
  CHECK(torch_.text("GraphLowering.save_output_code") == "None");
  torch_.run(R"(
files = []
GraphLowering.save_output_code = files.append
)");
  setInductorWatched(true);
  torch_.run(R"(
Wrapper().define_subgraph_launcher_fn("part", generated([(1, fc)], "torch.ops.mine.send(x)\n"))
generate("torch.ops.mine.send(x)\n", [(1, fc)])
GraphLowering.save_output_code = None
)");
  CHECK(torch_.text("files") == "['torch.ops.mine.send(x)\\n']");
  CHECK(fakeHost().graphs.empty());
}

} // namespace

} // namespace commtap
