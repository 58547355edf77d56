// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cpython/import_hook.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

/// Modules that are imported from texts. `loader` makes the loader of the next import.
const char* const kImports = R"(
import sys
from importlib.machinery import ModuleSpec

class Loader:
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(sources[module.__name__], module.__dict__)

class SlottedLoader(Loader):
    __slots__ = ()
    def __setattr__(self, name, value):
        raise AttributeError("no attributes")

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return ModuleSpec(name, loader()) if name in sources else None

sources = {}
loader = Loader
sys.meta_path.append(Finder)
finders = list(sys.meta_path)

def forget():
    for name in sources:
        sys.modules.pop(name, None)
)";

std::vector<std::string> imported;

/// Notes the value that the module's code has set by now.
void noteImport(PyObject* module) {
  imported.push_back(textOf(attribute(module, "value").get()));
}

void failImport(PyObject* module) {
  noteImport(module);
  PyErr_SetString(PyExc_KeyError, "of the action");
}

class ImportFixture {
 public:
  ImportFixture() {
    imported.clear();
  }
  ~ImportFixture() {
    python_.run("forget(); sys.meta_path.remove(Finder)");
  }

 protected:
  const EmbeddedPython python_{kImports};
};

using ImportTexts = std::vector<std::string>;

TEST_CASE_FIXTURE(ImportFixture, "an action runs once, after its module has executed; then the finder is gone") {
  python_.run("sources.update(early='value = 1', late='value = 2', other='value = 3')");
  REQUIRE(afterImport({{"early", noteImport}, {"late", noteImport}}));
  python_.run("import other, early");
  CHECK(imported == ImportTexts{"1"});
  CHECK(python_.text("len(sys.meta_path) - len(finders)") == "1");
  python_.run("import late");
  CHECK(imported == ImportTexts{"1", "2"});
  CHECK(python_.text("sys.meta_path == finders") == "True");
  python_.run("forget(); import early");
  CHECK(imported.size() == 2);
}

TEST_CASE_FIXTURE(ImportFixture, "the action of a module that is loaded runs at once, and no finder is installed") {
  python_.run("sources.update(early='value = 1'); import early");
  REQUIRE(afterImport({{"early", noteImport}}));
  CHECK(imported == ImportTexts{"1"});
  CHECK(python_.text("sys.meta_path == finders") == "True");
}

TEST_CASE_FIXTURE(ImportFixture, "a module's code and its spec see their loader as it is without the hook") {
  python_.run(R"(
sources.update(early='''
value = sorted(__spec__.loader.__dict__), type(__spec__.loader).__name__, __loader__ is __spec__.loader
''')
)");
  REQUIRE(afterImport({{"early", noteImport}}));
  python_.run("import early");
  CHECK(imported == ImportTexts{"([], 'Loader', True)"});
  CHECK(python_.text("vars(early.__spec__.loader)") == "{}");
}

TEST_CASE_FIXTURE(ImportFixture, "an import that fails does so as without the hook, and the next one is waited for") {
  python_.run("sources.update(early='raise RuntimeError(\"broken\")')");
  REQUIRE(afterImport({{"early", noteImport}, {"absent", noteImport}}));
  python_.run(R"(
def failure(name):
    try:
        __import__(name)
    except Exception as error:
        return type(error).__name__
failures = failure("early"), failure("absent")
)");
  CHECK(python_.text("failures") == "('RuntimeError', 'ModuleNotFoundError')");
  CHECK(imported.empty());
  python_.run("sources.update(early='value = 1', absent='value = 2')\nimport early, absent");
  CHECK(imported == ImportTexts{"1", "2"});
}

TEST_CASE_FIXTURE(ImportFixture, "a module whose loader takes no attributes is imported without its action") {
  python_.run("sources.update(early='value = 1')\nloader = SlottedLoader");
  REQUIRE(afterImport({{"early", noteImport}}));
  python_.run("import early");
  CHECK(python_.text("early.value") == "1");
  CHECK(imported.empty());
  python_.run("forget()\nloader = Loader\nimport early");
  CHECK(imported == ImportTexts{"1"});
}

TEST_CASE_FIXTURE(ImportFixture, "neither an action nor the installation changes the job's error state") {
  python_.run("sources.update(early='value = 1', late='value = 2')\nimport early");
  {
    const PendingError pending;
    REQUIRE(afterImport({{"early", failImport}, {"late", failImport}}));
  }
  python_.run("import late");
  CHECK(imported == ImportTexts{"1", "2"});
  CHECK(PyErr_Occurred() == nullptr);
}

} // namespace
} // namespace commtap
