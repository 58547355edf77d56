// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/dynamo_watch.h"

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

} // namespace
} // namespace commtap
