// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/compile_watch.h"

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

/// Gives torch a Dynamo whose callback for this thread is `callback`, for as long as it lives.
class DynamoFixture {
 public:
  ~DynamoFixture() {
    python_.run("sys.modules.pop(file, None)");
  }

 protected:
  const EmbeddedPython python_{R"(
import sys, types
file = "torch._C._dynamo.eval_frame"
callback = "the job's"

def set_eval_frame(new):
    global callback
    old, callback = callback, new
    return old

sys.modules[file] = types.SimpleNamespace(set_eval_frame=set_eval_frame)
)"};
};

TEST_CASE_FIXTURE(DynamoFixture, "Dynamo has no callback during a pause, and the job's after it") {
  {
    const DynamoPause outer;
    CHECK(python_.text("callback") == "None");
    {
      const DynamoPause inner;
      CHECK(python_.text("callback") == "None");
    }
    CHECK(python_.text("callback") == "None");
  }
  CHECK(python_.text("callback") == "the job's");
}

TEST_CASE_FIXTURE(DynamoFixture, "a pause keeps the job's error, also if Dynamo raises or is not there") {
  for (const char* const change :
       {"pass",
        "sys.modules[file].set_eval_frame = lambda new: 1 / 0",
        "del sys.modules[file].set_eval_frame",
        "del sys.modules[file]"}) {
    python_.run(change);
    const PendingError pending;
    const DynamoPause pause;
  }
  CHECK(python_.text("callback") == "the job's");
}

} // namespace
} // namespace commtap
