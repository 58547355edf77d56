// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/frames.h"

#include <string_view>

#include "tracker/python/py_compat.h"

namespace commtap {
namespace {

/// Returns the object that `path` leads to: "modules" of a parameter group, "_module_info.module" of a parameter.
PyRef follow(PyRef object, std::string_view path) {
  while (object && !path.empty()) {
    const std::string name(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    object = attribute(object.get(), name.c_str());
  }
  return object;
}

std::vector<PyRef> itemsOf(const PyRef& sequence) {
  std::vector<PyRef> items;
  if (sequence && PyTuple_Check(sequence.get())) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sequence.get()); ++i) {
      items.push_back(PyRef::borrow(PyTuple_GET_ITEM(sequence.get(), i)));
    }
  }
  return items;
}

} // namespace

// The functions that open the labels, and their local variables, are those of
// torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py and _fsdp_state.py.
std::vector<PyRef> modulesInFrames(CommtapInFrames what, uint32_t /*number*/) {
  const ErrorGuard keep_errors;
  const PyRef running = PyRef::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  switch (what) {
    case kCommtapRunningUnit: // FSDPParamGroup.unshard, .post_backward
      return itemsOf(follow(compat::localOf(running.get(), "self"), "modules"));
    case kCommtapPrefetchingUnit: // FSDPState._pre_backward, which calls FSDPParamGroup._prefetch_unshard
      return itemsOf(follow(compat::localOf(compat::callerOf(running.get()).get(), "self"), "_modules"));
  }
  return {};
}

} // namespace commtap
