// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/torch_functions.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

constexpr const char* kClipFile = "/env/torch/nn/utils/clip_grad.py";

/// Makes `look()`, which notes the function of torch that runs, in a Python module.
class FunctionsFixture {
 public:
  FunctionsFixture() {
    startTorchFunctions();
    python_.define("look", [this] {
      const char* const found = runningTorchFunction();
      found_ = found == nullptr ? "none" : found;
    });
  }

 protected:
  const EmbeddedPython python_;
  std::string found_;
};

TEST_CASE_FIXTURE(FunctionsFixture, "a function of torch is known by its name and its file") {
  python_.run("def clip_grad_norm_(): look()\nclip_grad_norm_()", kClipFile);
  CHECK(found_ == "clip_grad_norm_");
  python_.run("def get_state_dict(): look()\nget_state_dict()", "/env/torch/distributed/checkpoint/state_dict.py");
  CHECK(found_ == "checkpoint");
}

TEST_CASE_FIXTURE(FunctionsFixture, "the job's own function of a known name is none of torch's") {
  python_.run("def clip_grad_norm_(): look()\nclip_grad_norm_()", "/job/clip_grad.py");
  CHECK(found_ == "none");
  python_.run("look()", kClipFile);
  CHECK(found_ == "none");
}

TEST_CASE_FIXTURE(FunctionsFixture, "the outermost of several functions of torch is what runs") {
  python_.run("def redistribute(): look()", "/env/torch/distributed/tensor/_api.py");
  python_.run("def clip_grad_norm_(): redistribute()", kClipFile);
  python_.run("def step(): clip_grad_norm_()\nstep()", "/job/train.py");
  CHECK(found_ == "clip_grad_norm_");
}

TEST_CASE("without Python code no function of torch runs") {
  startTorchFunctions();
  CHECK(runningTorchFunction() == nullptr);
}

} // namespace
} // namespace commtap
