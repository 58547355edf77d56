// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/inductor_watch.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "tracker/cpython/dynamo_pause.h"
#include "tracker/cpython/frame_locals.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/python/graph_nodes.h"
#include "tracker/torch/compiler_names.h"

namespace commtap {
namespace {

const CommtapHost* tracker = nullptr;
PyObject* callback = nullptr; ///< owned; null until Inductor is loaded

/// Returns a loaded module, borrowed; nullptr if it is not loaded.
PyObject* loaded(const char* module) {
  return PyDict_GetItemString(PyImport_GetModuleDict(), module);
}

/// Returns the result of a function of torch's code cache.
PyRef callCache(const char* function, PyObject* argument) {
  const PyRef callable = attribute(loaded(torch_names::kCacheFile), function);
  return PyRef(callable ? PyObject_CallFunctionObjArgs(callable.get(), argument, nullptr) : nullptr);
}

/// Returns whether some line calls an operator that is not one of tensor math. Most lines of a file call none.
bool callsOperator(std::string_view text) {
  constexpr std::string_view kOperators = "torch.ops.";
  for (size_t at = text.find(kOperators); at != std::string_view::npos; at = text.find(kOperators, at + 1)) {
    const std::string_view name = text.substr(at + kOperators.size());
    if (!name.starts_with("aten.") && !name.starts_with("prims.") && !name.starts_with("inductor.")) {
      return true;
    }
  }
  return false;
}

/// Walks the lines of a text in order.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  /// Returns the text from line `from` up to line `to`, which is not before that of the last call.
  std::string_view between(long from, long to) {
    const size_t begin = offsetOf(from);
    return text_.substr(begin, offsetOf(to) - begin);
  }

 private:
  size_t offsetOf(long line) {
    for (; line_ < line && at_ < text_.size(); ++line_) {
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    }
    return at_;
  }

  std::string_view text_;
  long line_ = 1;
  size_t at_ = 0; ///< where line_ begins
};

/// Returns the file's lines that call collectives, as GraphLines reads them.
std::string linesOf(PyObject* line_map, std::string_view code) {
  std::string found;
  Lines lines(code);
  const Py_ssize_t count = PyList_GET_SIZE(line_map);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const pair = PyList_GET_ITEM(line_map, i);
    PyObject* const next = i + 1 < count ? PyList_GET_ITEM(line_map, i + 1) : nullptr;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 || (next != nullptr && !PyTuple_Check(next))) {
      return {};
    }
    const long from = PyLong_AsLong(PyTuple_GET_ITEM(pair, 0));
    const long to = next == nullptr ? from + 100 : PyLong_AsLong(PyTuple_GET_ITEM(next, 0));
    if (from > 0 && to > from && callsOperator(lines.between(from, to))) {
      found +=
          std::to_string(from) + "\t" + std::to_string(to - 1) + "\t" + placeOfNode(PyTuple_GET_ITEM(pair, 1)) + "\n";
    }
  }
  return found;
}

void tell(PyObject* code) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  PyFrameObject* const frame = PyEval_GetFrame();
  const PyRef generated(frame == nullptr ? nullptr : commtap_local(frame, torch_names::kGeneratedCode));
  const PyRef line_map = generated ? attribute(generated.get(), torch_names::kLineMap) : PyRef();
  if (!line_map || !PyList_Check(line_map.get())) {
    return;
  }
  const std::string text = textOf(code);
  const std::string lines = linesOf(line_map.get(), text);
  const PyRef stripped(lines.empty() ? nullptr : PyObject_CallMethod(code, "strip", nullptr));
  const PyRef key = stripped ? callCache(torch_names::kHash, stripped.get()) : PyRef();
  const PyRef folder = key ? callCache(torch_names::kCacheFolder, nullptr) : PyRef();
  if (key && folder && PyUnicode_Check(key.get()) && PyUnicode_Check(folder.get())) {
    tracker->graph_generated(textOf(folder.get()).c_str(), textOf(key.get()).c_str(), lines.c_str());
  }
}

/// What torch calls with the text of a generated file.
PyObject* saveCode(PyObject*, PyObject* code) {
  if (tracker != nullptr && PyUnicode_Check(code)) {
    try {
      tell(code);
    } catch (const std::exception&) { // out of memory: the file's collectives are reported as unattributed
      PyErr_Clear();
    }
  }
  Py_RETURN_NONE;
}

PyMethodDef save_method = {torch_names::kSaveCode, saveCode, METH_O, nullptr};

/// Replaces `from` by `to`; leaves what a job has set.
void replace(PyObject* from, PyObject* to) {
  const PyRef graph = attribute(loaded(torch_names::kInductorFile), torch_names::kInductorGraph);
  const PyRef now = graph ? attribute(graph.get(), torch_names::kSaveCode) : PyRef();
  if (now && now.get() == from) {
    PyObject_SetAttrString(graph.get(), torch_names::kSaveCode, to);
  }
}

} // namespace

bool watchInductor(const CommtapHost& host) {
  const ErrorGuard keep_errors;
  if (callback == nullptr && loaded(torch_names::kInductorFile) != nullptr) {
    const DynamoPause pause;
    tracker = &host;
    callback = PyCFunction_New(&save_method, nullptr);
    if (callback != nullptr) {
      replace(Py_None, callback);
    }
  }
  return callback != nullptr;
}

void setInductorWatched(bool watched) {
  const ErrorGuard keep_errors;
  if (callback != nullptr) {
    replace(watched ? Py_None : callback, watched ? callback : Py_None);
  }
}

} // namespace commtap
