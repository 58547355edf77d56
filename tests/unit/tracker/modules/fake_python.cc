// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// A Python 3.99 without an interpreter, and its Python part: the functions of both that the tracker calls.

#include "tests/unit/tracker/modules/fake_python.h"

#include <cstdlib>

#ifndef FAKE_PYTHON_ABI
#define FAKE_PYTHON_ABI COMMTAP_PYTHON_ABI
#endif

extern "C" {

extern FakePython fake_python;
FakePython fake_python;

int Py_IsInitialized() {
  return 1;
}

const char* Py_GetVersion() {
  return "3.99.0 (main, Jan  1 2026) [GCC 12.2.0]";
}

extern const CommtapPython commtap_python;
const CommtapPython commtap_python = {
    .abi = FAKE_PYTHON_ABI,
    .python_minor = 99,
    .start = [](const CommtapHost* host) -> int {
      fake_python.host = host;
      return std::getenv("FAKE_PYTHON_FAILS") == nullptr ? 0 : 1;
    },
    .set_enabled = [](int enabled) { fake_python.enabled = enabled; },
    .observe = [](void* before, void* after) -> int {
      fake_python.before = before;
      fake_python.after = after;
      return 0;
    },
    .module_id = [](void* module, void* /*argument*/) -> long { return module == nullptr ? -1 : 7; },
    .tensor_class = [](void*) { return kCommtapDtensor; },
    .modules_in_frames = [](CommtapInFrames, uint32_t, uint32_t*, size_t) -> size_t { return 0; },
    .running_torch_function = [] { return fake_python.torch_function; },
    .may_run_work = [] { return 0; },
    .runs_in_engine = [] { return 0; },
    .running_work = [](uint32_t*) { return kCommtapNoWork; },
    .tensors_in = [](void* const*, size_t, void*, void**, size_t) -> size_t { return 0; },
    .trained_parameter = [](void*) -> void* { return nullptr; },
    .find_site = [](int, CommtapSite*) { return 0; },
    .read_call = [](const CommtapGraphCall*, uint32_t*, CommtapTakeText, void*) { return 0; },
    .module_at = [](const CommtapSite*, const char*) -> uint32_t { return kCommtapUnknownModule; },
    .forward_node = [](const CommtapSite*) -> int64_t { return -1; },
    .sample_step = [](const CommtapStepSampler* /*sampler*/) {},
    .step_gradients = [](CommtapTakeGradient, void*) {},
    .ddp_buffers = [](uint32_t, CommtapTakeBuffer, void*) {},
    .watch_compiler = [] { return 0; },
};

} // extern "C"
