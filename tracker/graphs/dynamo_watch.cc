// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/dynamo_watch.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/class_hooks.h"
#include "tracker/graphs/dynamo_graph.h"
#include "tracker/graphs/dynamo_pause.h"
#include "tracker/torch/compiler_names.h"

namespace commtap {
namespace {

const CommtapHost* host_part = nullptr;
ClassHook call_compiler{torch_names::kOutputGraphFile, torch_names::kOutputGraph, torch_names::kCallCompiler};

/// Returns the generated files that are loaded, a list of Python modules; empty if Inductor is not loaded.
PyRef loadedFiles() {
  const PyRef cache = attribute(loadedModule(torch_names::kCacheFile), torch_names::kCodeCache);
  PyRef files = attribute(cache.get(), torch_names::kLoadedFiles);
  PyErr_Clear();
  return files && PyList_Check(files.get()) ? std::move(files) : PyRef();
}

Py_ssize_t countFiles() {
  const PyRef files = loadedFiles();
  return files ? PyList_GET_SIZE(files.get()) : 0;
}

std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Sends the tracker the files that one compilation loads.
class Compilation {
 public:
  explicit Compilation(PyObject* graph) : graph_(graph), files_before_(countFiles()) {}

  /// Sends the files that were loaded since the constructor.
  void end() const {
    const PyRef files = loadedFiles();
    for (Py_ssize_t i = files_before_; files && i < PyList_GET_SIZE(files.get()); ++i) {
      const PyRef name = attribute(PyList_GET_ITEM(files.get(), i), torch_names::kPathOfFile);
      const std::string path = name ? textOf(name.get()) : std::string();
      if (!path.empty() && host_part->wants_graph(path.c_str()) != 0) {
        host_part->graph_loaded(path.c_str(), graphLines(graph_.linesIn(contentOf(path))).c_str());
      }
    }
    PyErr_Clear();
  }

 private:
  DynamoGraph graph_;
  Py_ssize_t files_before_;
};

/// What torch calls as a method with a graph and its inputs.
PyObject* callCompiler(PyObject*, PyObject* arguments, PyObject* named) {
  std::optional<Compilation> compilation;
  if (PyTuple_GET_SIZE(arguments) > 1) {
    aside([&] { compilation.emplace(PyTuple_GET_ITEM(arguments, 1)); });
  }
  PyObject* const compiled = PyObject_Call(call_compiler.torchs, arguments, named);
  if (compiled != nullptr && compilation) {
    aside([&] { compilation->end(); });
  }
  return compiled;
}

} // namespace

void watchDynamo(const CommtapHost& host) {
  const ErrorGuard keep_errors;
  if (host_part == nullptr && loadedModule(torch_names::kOutputGraphFile) != nullptr) {
    const DynamoPause pause;
    host_part = &host;
    startMethodHook(call_compiler, callCompiler);
  }
}

void setDynamoWatched(bool watched) {
  const ErrorGuard keep_errors;
  setHook(call_compiler, watched);
}

} // namespace commtap
