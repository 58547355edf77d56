// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/compile_watch.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracker/cpython/py_ref.h"
#include "tracker/cpython/thread_frames.h"
#include "tracker/graphs/generated_text.h"
#include "tracker/graphs/graph_nodes.h"
#include "tracker/torch/compiler_names.h"
#include "tracker/torch/function_names.h"

namespace commtap {
namespace {

const CommtapHost* dynamo_host = nullptr;
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
      if (!path.empty() && dynamo_host->wants_graph(path.c_str()) != 0) {
        dynamo_host->graph_loaded(path.c_str(), graphLines(graph_.linesIn(contentOf(path))).c_str());
      }
    }
    PyErr_Clear();
  }

 private:
  DynamoGraph graph_;
  Py_ssize_t files_before_;
};

/// Torch calls this as a method with a graph and its inputs.
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
  if (dynamo_host == nullptr && loadedModule(torch_names::kOutputGraphFile) != nullptr) {
    const DynamoPause pause;
    dynamo_host = &host;
    startMethodHook(call_compiler, callCompiler);
  }
}

void setDynamoWatched(bool watched) {
  const ErrorGuard keep_errors;
  setHook(call_compiler, watched);
}

namespace {

const CommtapHost* inductor_host = nullptr;
ClassHook save_code{torch_names::kInductorFile, torch_names::kInductorGraph, torch_names::kSaveCode};
ClassHook define_function{torch_names::kWrapperFile, torch_names::kWrapper, torch_names::kDefineFunction};

/// The functions of the file that Inductor is generating. It generates one at a time. Never destroyed.
std::vector<GeneratedFunction>& functions() {
  static auto* all = new std::vector<GeneratedFunction>();
  return *all;
}

/// Returns the result of a function of torch's code cache.
PyRef callCache(const char* function, PyObject* argument) {
  const PyRef callable = attribute(loadedModule(torch_names::kCacheFile), function);
  return PyRef(callable ? PyObject_CallFunctionObjArgs(callable.get(), argument, nullptr) : nullptr);
}

/// Returns an object's line map, a list; empty if it has none.
PyRef lineMapOf(PyObject* generated) {
  PyRef line_map = generated == nullptr ? PyRef() : attribute(generated, torch_names::kLineMap);
  return line_map && PyList_Check(line_map.get()) ? std::move(line_map) : PyRef();
}

/// Returns the places of a file's collectives: of its own lines, and of the functions that were written before it.
std::string placesIn(PyObject* line_map, std::string_view code) {
  const TextLines file = linesOf(code);
  std::vector<PlacedLines> places;
  for (const GeneratedFunction& function : std::exchange(functions(), {})) {
    const std::vector<PlacedLines> more = function.in(file);
    places.insert(places.end(), more.begin(), more.end());
  }
  const std::vector<PlacedLines> own = placedLines(line_map, file);
  places.insert(places.end(), own.begin(), own.end());
  return graphLines(places);
}

void tell(PyObject* code) {
  PyFrameObject* const frame = PyEval_GetFrame();
  const PyRef generated(frame == nullptr ? nullptr : commtap_local(frame, torch_names::kGeneratedCode));
  const PyRef line_map = lineMapOf(generated.get());
  if (!line_map) {
    return;
  }
  const std::string lines = placesIn(line_map.get(), textOf(code));
  const PyRef stripped(lines.empty() ? nullptr : PyObject_CallMethod(code, "strip", nullptr));
  const PyRef key = stripped ? callCache(torch_names::kHash, stripped.get()) : PyRef();
  const PyRef folder = key ? callCache(torch_names::kCacheFolder, nullptr) : PyRef();
  if (key && folder && PyUnicode_Check(key.get()) && PyUnicode_Check(folder.get())) {
    inductor_host->graph_generated(textOf(folder.get()).c_str(), textOf(key.get()).c_str(), lines.c_str());
  }
}

/// Torch calls this with the text of a generated file.
PyObject* saveCode(PyObject*, PyObject* code) {
  if (inductor_host != nullptr && PyUnicode_Check(code)) {
    aside([code] { tell(code); });
  }
  Py_RETURN_NONE;
}

/// Keeps a function until its file is reported; keeps none if a job takes the files itself.
void keepFunction(PyObject* generated) {
  const PyRef line_map = isSet(save_code) ? lineMapOf(generated) : PyRef();
  const PyRef code = line_map ? attribute(generated, torch_names::kGeneratedText) : PyRef();
  if (code && PyUnicode_Check(code.get())) {
    GeneratedFunction function(line_map.get(), textOf(code.get()));
    if (function.hasPlaces()) {
      functions().push_back(std::move(function));
    }
  }
}

/// Torch calls this as a method with a name and the code of a function of the file that it is generating.
PyObject* defineFunction(PyObject*, PyObject* arguments, PyObject* named) {
  if (named == nullptr && PyTuple_GET_SIZE(arguments) == 3) {
    aside([arguments] { keepFunction(PyTuple_GET_ITEM(arguments, 2)); });
  }
  return PyObject_Call(define_function.torchs, arguments, named);
}

PyMethodDef save_method = {torch_names::kSaveCode, saveCode, METH_O, nullptr};

} // namespace

bool watchInductor(const CommtapHost& host) {
  const ErrorGuard keep_errors;
  if (inductor_host == nullptr && loadedModule(torch_names::kInductorFile) != nullptr) {
    const DynamoPause pause;
    inductor_host = &host;
    startHook(save_code, Py_TYPE(Py_None), PyCFunction_New(&save_method, nullptr));
    startMethodHook(define_function, defineFunction);
  }
  return inductor_host != nullptr;
}

void setInductorWatched(bool watched) {
  const ErrorGuard keep_errors;
  setHook(save_code, watched);
  setHook(define_function, watched);
}

DynamoPause::DynamoPause() {
  static PyObject* const module_name = PyUnicode_InternFromString(torch_names::kEvalFrameFile);
  const ErrorGuard keep_errors;
  const PyRef module(PyImport_GetModule(module_name));
  set_callback_ = attribute(module.get(), torch_names::kSetEvalFrame);
  if (set_callback_) {
    callback_ = PyRef(PyObject_CallOneArg(set_callback_.get(), Py_None));
  }
}

DynamoPause::~DynamoPause() {
  if (callback_) {
    const ErrorGuard keep_errors;
    const PyRef none(PyObject_CallOneArg(set_callback_.get(), callback_.get()));
  }
}

namespace {

PyRef ownerOf(const ClassHook& hook) {
  PyRef owner = attribute(loadedModule(hook.file), hook.owner);
  return owner && PyType_Check(owner.get()) ? std::move(owner) : PyRef();
}

/// Returns what the class has, unbound; empty if it has nothing of that name.
PyRef valueOf(const ClassHook& hook, const PyRef& owner) {
  const PyRef name(PyUnicode_InternFromString(hook.name));
  return PyRef::borrow(name ? _PyType_Lookup(reinterpret_cast<PyTypeObject*>(owner.get()), name.get()) : nullptr);
}

} // namespace

PyObject* loadedModule(const char* name) {
  return PyDict_GetItemString(PyImport_GetModuleDict(), name);
}

void startHook(ClassHook& hook, PyTypeObject* type, PyObject* ours) {
  const PyRef owner = ours == nullptr ? PyRef() : ownerOf(hook);
  PyRef value = owner ? valueOf(hook, owner) : PyRef();
  if (!value || Py_TYPE(value.get()) != type) {
    Py_XDECREF(ours);
    return;
  }
  hook.torchs = Py_NewRef(value.get());
  hook.ours = ours;
  setHook(hook, true);
}

void startMethodHook(ClassHook& hook, PyCFunctionWithKeywords function) {
  hook.method = {
      hook.name,
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
      METH_VARARGS | METH_KEYWORDS,
      nullptr};
  const PyRef object(PyCFunction_New(&hook.method, nullptr));
  startHook(hook, &PyFunction_Type, object ? PyInstanceMethod_New(object.get()) : nullptr);
}

void setHook(const ClassHook& hook, bool watched) {
  const PyRef owner = hook.ours == nullptr ? PyRef() : ownerOf(hook);
  if (owner && valueOf(hook, owner).get() == (watched ? hook.torchs : hook.ours)) {
    PyObject_SetAttrString(owner.get(), hook.name, watched ? hook.ours : hook.torchs);
  }
}

bool isSet(const ClassHook& hook) {
  const PyRef owner = ownerOf(hook);
  return owner && hook.ours != nullptr && valueOf(hook, owner).get() == hook.ours;
}

} // namespace commtap
