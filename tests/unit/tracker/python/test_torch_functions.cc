// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/running_work.h"

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
      const CommtapTorchFunction found = runningTorchFunction();
      found_ = found.label == nullptr ? "none" : found.label;
      for_ddp_ = found.for_ddp;
      infers_shapes_ = found.infers_shapes;
    });
  }

 protected:
  const EmbeddedPython python_;
  std::string found_;
  CommtapDdpWork for_ddp_ = kCommtapNotForDdp;
  bool infers_shapes_ = false;
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

TEST_CASE_FIXTURE(FunctionsFixture, "the innermost function for a DDP module says what it does") {
  python_.run("def _match_all_reduce_for_bwd_pass(): look()", "/env/torch/nn/parallel/distributed.py");
  python_.run(
      "def __exit__(work): work()\n__exit__(_match_all_reduce_for_bwd_pass)",
      "/env/torch/distributed/algorithms/join.py");
  CHECK(found_ == "Join");
  CHECK(for_ddp_ == kCommtapDdpBackward);
  python_.run("__exit__(look)", "/env/torch/distributed/algorithms/join.py");
  CHECK(found_ == "Join");
  CHECK(for_ddp_ == kCommtapNotForDdp);
}

TEST_CASE_FIXTURE(FunctionsFixture, "a pipeline's stage infers shapes, and what it calls keeps its label") {
  constexpr const char* kStageFile = "/env/torch/distributed/pipelining/stage.py";
  python_.run("def send_object_list(): look()", "/env/torch/distributed/distributed_c10d.py");
  for (const std::string name : {"_shape_inference", "_forward_metadata_inference"}) {
    python_.run(("def " + name + "(work): work()\n" + name + "(look)").c_str(), kStageFile);
    CHECK(infers_shapes_);
    CHECK(found_ == "none");
    python_.run((name + "(send_object_list)").c_str(), kStageFile);
    CHECK(found_ == "send_object_list");
  }
  python_.run("look()", kStageFile);
  CHECK_FALSE(infers_shapes_);
}

TEST_CASE("without Python code no function of torch runs") {
  startTorchFunctions();
  CHECK(runningTorchFunction().label == nullptr);
}

} // namespace
} // namespace commtap
