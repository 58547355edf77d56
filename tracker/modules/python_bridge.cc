// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/python_bridge.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>

#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/core/Tensor.h>

#include "shim/commtap.h"
#include "shim/trusted_file.h"
#include "tracker/attribution/broadcast_buffers.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/attribution/python_frames.h"
#include "tracker/attribution/running_work.h"
#include "tracker/attribution/stage_tensors.h"
#include "tracker/attribution/step_gradients.h"
#include "tracker/collectives/groups.h"
#include "tracker/collectives/registration.h"
#include "tracker/compiled/compiled_code.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/log.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/python_host.h"
#include "tracker/modules/group_calls.h"
#include "tracker/modules/labels.h"
#include "tracker/modules/module_hook.h"
#include "tracker/verify/sampler.h"

namespace commtap {
namespace {

ModuleRole roleOf(uint8_t role) {
  return role <= kCommtapFsdp2 ? static_cast<ModuleRole>(role) : ModuleRole::kPlain;
}

uint32_t addModule(const CommtapModuleFacts* facts) {
  return ModuleRegistry::get().add(
      {.parent = facts->parent,
       .component = facts->component,
       .class_name = facts->class_name,
       .clean = facts->clean,
       .wrapped = facts->wrapped,
       .role = roleOf(facts->role),
       .wrapper = facts->wrapper != 0});
}

void reparentModule(uint32_t module, uint32_t parent, const char* component, int wrapper) {
  ModuleRegistry::get().reparent(module, parent, component, wrapper != 0);
}

void moduleDied(uint32_t module) {
  ModuleRegistry::get().died(module);
}

int wantsParameters(uint32_t module) {
  return ModuleRegistry::get().wantsParameters(module) ? 1 : 0;
}

void addParameter(uint32_t module, const CommtapParameterFacts* facts) {
  ProcessLedger::ledger().addParameter(
      module,
      {.name = facts->name,
       .shape = facts->shape,
       .local_shape = facts->local_shape,
       .dtype = facts->dtype,
       .mesh = facts->mesh,
       .placements = facts->placements,
       .requires_grad = facts->requires_grad != 0});
}

void ownTensor(uint32_t module, void* tensor) {
  const auto* impl = static_cast<const c10::TensorImpl*>(tensor);
  const bool has_memory = impl != nullptr && impl->has_storage();
  ModuleRegistry::get().addParameter(module, impl, has_memory ? impl->unsafe_storage() : c10::Storage());
}

uint32_t currentModule() {
  const ThreadState* thread = ThreadState::current();
  return thread == nullptr ? kGlobalModule : thread->currentModule();
}

void moduleName(uint32_t module, CommtapTakeText take, void* data) {
  catchAllInSample(
      "a module's name", [&] { take(data, ModuleRegistry::get().nameOf(module, ModuleName::kClean).c_str()); });
}

uint32_t beginSetUp(uint32_t module) {
  ThreadState* thread = ThreadState::current();
  return thread == nullptr ? 0 : thread->enter({Scope::Type::kSetUp, compat::inBackward(), module});
}

void endSetUp(uint32_t depth) {
  if (ThreadState* thread = ThreadState::ifKnown()) {
    thread->leave(depth);
  }
}

uint32_t findModule(const void* object) {
  return ModuleHook::modules().find(object);
}

int setModule(const void* object, uint32_t module) {
  return ModuleHook::modules().insert(object, module) ? 1 : 0;
}

uint32_t forgetModule(const void* object) {
  return ModuleHook::modules().remove(object);
}

void argumentsChanged(const char* const* arguments, size_t count) {
  catchAll("command line", [&] { ProcessLedger::get().setArguments({arguments, arguments + count}); });
}

void groupRegistered(const char* name) {
  ThreadState* thread = ThreadState::current();
  try {
    if (thread != nullptr && groupMade(name, *thread).size > 1) {
      StageTensors::want();
    }
  } catch (const LayoutDiffers&) { // has been said; each collective of the group is in `not_seen`
    return;
  }
}

void groupIsDimension(const char* group, const char* dimension) {
  catchAll("a mesh dimension", [&] {
    if (ThreadState* thread = ThreadState::current()) {
      ProcessLedger::ledger().nameDimension(groupNamed(group, *thread).index, dimension);
    }
  });
}

void* beginPlainTensors() {
  using at::impl::PythonTorchFunctionTLS;
  auto* before = new at::impl::TorchFunctionDisabledState(PythonTorchFunctionTLS::get_disabled_state());
  PythonTorchFunctionTLS::set_disabled_state(at::impl::TorchFunctionDisabledState::ALL_DISABLED);
  return before;
}

void endPlainTensors(void* token) {
  auto* before = static_cast<at::impl::TorchFunctionDisabledState*>(token);
  at::impl::PythonTorchFunctionTLS::set_disabled_state(*before);
  delete before;
}

void graphGenerated(const char* folder, const char* key, const char* lines) {
  catchAll("a compiled graph", [&] { CompiledCode::graphGenerated(folder, key, lines); });
}

int wantsGraph(const char* path) {
  int wanted = 0;
  catchAll("a compiled graph", [&] { wanted = CompiledCode::wantsGraph(path) ? 1 : 0; });
  return wanted;
}

void graphLoaded(const char* path, const char* lines) {
  catchAll("a compiled graph", [&] { CompiledCode::graphLoaded(path, lines); });
}

void notSeenModule(const char* what) {
  ProcessLedger::ledger().notSeen(NotSeen::kModuleFactsMissing, what);
}

void hookMissing(const char* why) {
  ProcessLedger::ledger().notSeen(NotSeen::kModuleHookMissing, why);
  logWarning(
      std::string("module calls are not hooked, so all collectives are attributed to Global: ") + why +
      "; run `commtap doctor`");
}

void debug(const char* message) {
  logDebug(message);
}

/// True if record_function cannot be hooked in Python.
std::atomic<bool> labels_missing{false};

void labelsMissing() {
  labels_missing = true;
  if (!receivesLabelsFromTorch()) {
    receiveLabelsFromTorch(OtherLabels::kIgnored);
  }
}

constexpr CommtapHost kHost = {
    .add_module = addModule,
    .reparent_module = reparentModule,
    .module_died = moduleDied,
    .wants_parameters = wantsParameters,
    .add_parameter = addParameter,
    .own_tensor = ownTensor,
    .current_module = currentModule,
    .module_name = moduleName,
    .begin_set_up = beginSetUp,
    .end_set_up = endSetUp,
    .find_module = findModule,
    .set_module = setModule,
    .forget_module = forgetModule,
    .call_module = ModuleHook::call,
    .set_original_call = ModuleHook::setOriginal,
    .open_label = openPythonLabel,
    .close_label = closeLabel,
    .labels_missing = labelsMissing,
    .arguments_changed = argumentsChanged,
    .group_made = groupRegistered,
    .group_is_dimension = groupIsDimension,
    .begin_plain_tensors = beginPlainTensors,
    .end_plain_tensors = endPlainTensors,
    .compiled_code_found = CompiledCode::traced,
    .graph_generated = graphGenerated,
    .wants_graph = wantsGraph,
    .graph_loaded = graphLoaded,
    .not_seen_module = notSeenModule,
    .hook_missing = hookMissing,
    .log_debug = debug,
};

const CommtapPython*& pythonPart() {
  static const CommtapPython* instance = nullptr;
  return instance;
}

/// Returns the build of this process's Python, and sets its full version; "" if there is no Python.
std::string pythonBuild(std::string& full_version) {
  using IsInitialized = int (*)();
  using GetVersion = const char* (*)();
  const auto is_initialized = reinterpret_cast<IsInitialized>(dlsym(RTLD_DEFAULT, "Py_IsInitialized"));
  const auto get_version = reinterpret_cast<GetVersion>(dlsym(RTLD_DEFAULT, "Py_GetVersion"));
  if (is_initialized == nullptr || get_version == nullptr || is_initialized() == 0) {
    return {};
  }
  full_version = get_version();
  const std::string build = pythonBuildOf(full_version);
  full_version = full_version.substr(0, full_version.find(' '));
  return build;
}

/// Returns this library's path. It is absolute: the stub loads the tracker by an absolute path.
std::string ownPath() {
  Dl_info info{};
  return dladdr(reinterpret_cast<const void*>(&ownPath), &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

const CommtapPython* loadPythonPart(const std::string& build) {
  const std::string own = ownPath();
  const std::string path = own.substr(0, own.rfind('/')) + "/python/libcommtap-python-" + build + ".so";
  const char* refusal = access(path.c_str(), R_OK) == 0 ? commtap_load_refusal(path.c_str(), own.c_str()) : nullptr;
  if (refusal != nullptr) {
    hookMissing((path + " is not loaded: " + refusal).c_str());
    return nullptr;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    hookMissing(
        ("no part for Python " + build + " is installed: expected " + path + ": install commtap for this Python")
            .c_str());
    return nullptr;
  }
  const auto* part = static_cast<const CommtapPython*>(dlsym(library, COMMTAP_PYTHON_SYMBOL));
  if (part == nullptr || part->abi != COMMTAP_PYTHON_ABI) {
    hookMissing(
        (path + " is not a Python part of this version of commtap: install all files of commtap again").c_str());
    return nullptr;
  }
  return part;
}

/// Receives labels from torch only if they become scopes, or if the Python part does not hook record_function.
void startLabels(Labels labels, bool is_python) {
  const bool scopes = labels == Labels::kScopes || (labels == Labels::kAuto && !is_python);
  if (scopes || pythonPart() == nullptr || labels_missing) {
    receiveLabelsFromTorch(scopes ? OtherLabels::kScopes : OtherLabels::kIgnored);
  }
}

} // namespace

std::string pythonBuildOf(const std::string& version) {
  int major = 0;
  int minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2) {
    return {};
  }
  const bool free_threaded = version.find("free-threading") != std::string::npos;
  return std::to_string(major) + "." + std::to_string(minor) + (free_threaded ? "t" : "");
}

void startPython(Labels labels) {
  std::string version;
  const std::string build = pythonBuild(version);
  if (!build.empty()) {
    ProcessLedger::get().setPythonVersion(version);
    const CommtapPython* part = loadPythonPart(build);
    if (part != nullptr) {
      ModuleHook::start({part->module_id, part->tensors_in, part->trained_parameter});
      pythonPart() = part->start(&kHost) == 0 ? part : nullptr;
      setModulesInFrames(pythonPart() == nullptr ? nullptr : part->modules_in_frames);
      setRunningTorchFunction(pythonPart() == nullptr ? nullptr : part->running_torch_function);
      setRunsInEngine(pythonPart() == nullptr ? nullptr : part->runs_in_engine);
      if (pythonPart() != nullptr) {
        WorkInFrames::setFunctions(part->may_run_work, part->running_work);
        StepGradients::setFunction(part->step_gradients);
        CompiledCode::setPython(part);
        setReadDdpBuffers(part->ddp_buffers);
        Sampler::setFunction(part->sample_step);
        GroupCalls::start(part->new_groups_ranks);
      }
    }
  }
  startLabels(labels, !build.empty());
}

void setPythonEnabled(bool enabled, Labels labels) {
  if (pythonPart() != nullptr) {
    pythonPart()->set_enabled(enabled ? 1 : 0);
  }
  if (enabled) {
    std::string version;
    startLabels(labels, !pythonBuild(version).empty());
  } else {
    stopLabelsFromTorch();
  }
}

int observePythonModules(void* before, void* after) {
  return pythonPart() == nullptr ? static_cast<int>(COMMTAP_INVALID) : pythonPart()->observe(before, after);
}

long idOfPythonModule(void* module) {
  return pythonPart() == nullptr ? static_cast<long>(COMMTAP_INVALID) : pythonPart()->module_id(module, nullptr);
}

CommtapTensorClass classOfPythonTensor(void* tensor) {
  return pythonPart() == nullptr ? kCommtapPlainTensor : pythonPart()->tensor_class(tensor);
}

} // namespace commtap
