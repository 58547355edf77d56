// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/python_bridge.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>
#include <ATen/PythonTorchFunctionTLS.h>
#include <dlfcn.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "shim/commtap.h"
#include "tests/unit/samples.h"
#include "tests/unit/tracker/modules/fake_python.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/attribution/python_frames.h"
#include "tracker/core/process_ledger.h"
#include "tracker/modules/labels.h"
#include "tracker/modules/module_hook.h"

namespace commtap {
namespace {

TEST_CASE("a Python part is for one minor version, and the free-threaded build is another") {
  CHECK(pythonBuildOf("3.11.2 (main, Mar 13 2023, 12:18:29) [GCC 12.2.0]") == "3.11");
  CHECK(pythonBuildOf("3.13.1 experimental free-threading build (main, Dec  4 2024) [GCC 12.2.0]") == "3.13t");
  CHECK(pythonBuildOf("3.14.0 free-threading build (main, Oct  7 2025) [GCC 14.2.0]") == "3.14t");
  CHECK(pythonBuildOf("a Python of another kind").empty());
}

/// Returns the folder in which the tracker looks for its Python part: next to its library, which here is the program.
std::string partFolder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "python";
}
std::string partPath() {
  return partFolder() + "/libcommtap-python-3.99.so";
}

class PythonFixture : public TrackerFixture {
 public:
  PythonFixture() = default;
  PythonFixture(const PythonFixture&) = delete;
  PythonFixture& operator=(const PythonFixture&) = delete;
  ~PythonFixture() {
    std::filesystem::remove_all(partFolder());
  }

  static void install(const std::string& library) {
    const mode_t before = umask(022);
    std::filesystem::create_directories(partFolder());
    writeText(partPath(), readText(library));
    umask(before);
  }
  /// Runs `body` in a child that runs Python, after the tracker has looked for its part.
  static ChildResult runInPython(const std::function<void()>& body) {
    return runInTrackedChild([&] {
      dlopen(COMMTAP_FAKE_PYTHON, RTLD_NOW | RTLD_GLOBAL);
      startPython(Labels::kAuto);
      body();
    });
  }
  /// The installed part, as the tracker has loaded it.
  static FakePython& part() {
    void* library = dlopen(partPath().c_str(), RTLD_NOW | RTLD_NOLOAD);
    return *static_cast<FakePython*>(dlsym(library, FAKE_PYTHON_SYMBOL));
  }
};

void say(const char* what, bool holds) {
  sayLine(std::string(what) + (holds ? " yes" : " NO"));
}

TEST_CASE_FIXTURE(PythonFixture, "a process without Python has torch's labels, and needs no part") {
  const ChildResult child = runInTrackedChild([&] {
    startPython(Labels::kAuto);
    say("labels", receivesLabelsFromTorch());
    say("observe", observePythonModules(nullptr, nullptr) == COMMTAP_INVALID);
    say("id", idOfPythonModule(nullptr) == COMMTAP_INVALID);
    say("tensor", classOfPythonTensor(nullptr) == kCommtapPlainTensor);
    say("hooked", notSeen("module_hook_missing") == 0);
  });
  CHECK(child.said == "labels yes\nobserve yes\nid yes\ntensor yes\nhooked yes\n");
}

TEST_CASE_FIXTURE(PythonFixture, "a part that is missing or of another commtap: a line says what to install") {
  const auto missing = [&] { say("missing", notSeen("module_hook_missing") == 1); };
  const ChildResult none = runInPython(missing);
  CHECK(
      none.said.find("all collectives are attributed to Global: no part for Python 3.99 is installed: expected ") !=
      std::string::npos);
  CHECK(
      none.said.find(
          "libcommtap-python-3.99.so: install commtap for this Python; run `commtap doctor`\nmissing yes\n") !=
      std::string::npos);
  install(COMMTAP_OTHER_PYTHON);
  const ChildResult other = runInPython(missing);
  CAPTURE(other.said);
  CHECK(
      other.said.find("libcommtap-python-3.99.so is not a Python part of this version of commtap: install all files "
                      "of commtap again; run `commtap doctor`\nmissing yes\n") != std::string::npos);
}

TEST_CASE_FIXTURE(PythonFixture, "a part that cannot start is not used") {
  install(COMMTAP_FAKE_PYTHON);
  setenv("FAKE_PYTHON_FAILS", "1", 1);
  const ChildResult child = runInPython([] { say("unused", idOfPythonModule(&part()) == COMMTAP_INVALID); });
  unsetenv("FAKE_PYTHON_FAILS");
  CHECK(child.said == "unused yes\n");
}

TEST_CASE_FIXTURE(PythonFixture, "the part gets what the tracker is asked, and labels are its own to watch") {
  install(COMMTAP_FAKE_PYTHON);
  const ChildResult child = runInPython([&] {
    int before = 0;
    int after = 0;
    say("started", part().host != nullptr);
    say("version", report().job.python_version == "3.99.0");
    say("labels", !receivesLabelsFromTorch());
    say("observe", observePythonModules(&before, &after) == 0);
    say("callables", part().before == &before && part().after == &after);
    say("id", idOfPythonModule(&before) == 7);
    say("tensor", classOfPythonTensor(nullptr) == kCommtapDtensor);
    part().torch_function.label = "clip_grad_norm_";
    say("function", std::string_view(runningTorchFunction().label) == "clip_grad_norm_");
    setPythonEnabled(false, Labels::kAuto);
    say("disabled", part().enabled == 0);
    setPythonEnabled(true, Labels::kAuto);
    say("enabled", part().enabled == 1);
    part().host->labels_missing();
    say("labels", receivesLabelsFromTorch());
  });
  CHECK(
      child.said ==
      "started yes\nversion yes\nlabels yes\nobserve yes\ncallables yes\nid yes\ntensor yes\nfunction yes\n"
      "disabled yes\nenabled yes\nlabels yes\n");
}

TEST_CASE_FIXTURE(PythonFixture, "the part adds modules, their parameters and whose tensors they are") {
  install(COMMTAP_FAKE_PYTHON);
  const ChildResult child = runInPython([&] {
    const CommtapHost& host = *part().host;
    ModuleRegistry& modules = ModuleRegistry::get();
    const CommtapModuleFacts net{0, "PartNet", "PartNet", "Net", kCommtapUnknownModule, kCommtapDdp, 0};
    const CommtapModuleFacts inner{0, "Linear", "Linear", "Linear", kCommtapUnknownModule, kCommtapPlain, 0};
    const uint32_t root = host.add_module(&net);
    const uint32_t linear = host.add_module(&inner);
    host.reparent_module(linear, root, "up", 1);
    say("name", modules.nameOf(linear, ModuleName::kRaw) == "PartNet.up");
    say("wrapper", modules.nameOf(linear, ModuleName::kClean) == "Net");
    say("role", modules.nearest(linear, ModuleRole::kDdp) == root);
    say("wanted", host.wants_parameters(linear) == 1 && host.wants_parameters(linear) == 0);
    const CommtapParameterFacts facts{"weight", "[4,2]", "[2,2]", "float32", "", "", 1};
    host.add_parameter(linear, &facts);
    const Parameter added = report().modules.at(linear).parameters.at(0);
    say("parameter", added.name == "weight" && added.shape == std::vector<int64_t>{4, 2} && added.requires_grad);
    say("local", added.local_shape == std::vector<int64_t>{2, 2} && added.dtype == "float32" && added.mesh.empty());
    const at::Tensor tensor = at::ones({2});
    host.own_tensor(linear, tensor.unsafeGetTensorImpl());
    say("owner", modules.ownerOfTensor(tensor.unsafeGetTensorImpl()) == linear);
    say("storage", modules.ownerOfStorage(tensor.storage()) == linear);
    host.module_died(root);
    say("reused", host.add_module(&net) == root);
  });
  CHECK(
      child.said ==
      "name yes\nwrapper yes\nrole yes\nwanted yes\nparameter yes\nlocal yes\nowner yes\nstorage yes\nreused yes\n");
}

TEST_CASE_FIXTURE(PythonFixture, "the part finds objects, hooks calls and reports what it could not see") {
  install(COMMTAP_FAKE_PYTHON);
  const ChildResult child = runInPython([&] {
    const CommtapHost& host = *part().host;
    int object = 0;
    say("unknown", host.find_module(&object) == kCommtapUnknownModule);
    say("set", host.set_module(&object, 0) == 1 && host.find_module(&object) == 0);
    host.set_original_call([](void* function, void* const*, size_t, void*) { return function; });
    std::array<void*, 1> arguments{&object};
    say("called", host.call_module(&object, arguments.data(), 1, nullptr) == &object);
    say("forgotten", host.forget_module(&object) == 0 && host.find_module(&object) == kCommtapUnknownModule);
    say("asked", host.call_module(nullptr, arguments.data(), 1, nullptr) == nullptr);
    host.open_label("Optimizer.step#SGD.step", &object);
    say("label", ThreadState::current()->top() != nullptr);
    host.close_label(&object);
    say("closed", ThreadState::current()->top() == nullptr);
    say("module", host.current_module() == kGlobalModule);
    using at::impl::PythonTorchFunctionTLS;
    const auto state = PythonTorchFunctionTLS::get_disabled_state();
    void* token = host.begin_plain_tensors();
    say("plain", PythonTorchFunctionTLS::get_disabled_state() == at::impl::TorchFunctionDisabledState::ALL_DISABLED);
    host.end_plain_tensors(token);
    say("restored", PythonTorchFunctionTLS::get_disabled_state() == state);
    host.not_seen_module("a parameter");
    say("facts", notSeen("module_facts_missing") == 1);
    host.hook_missing("a reason");
    say("hook", notSeen("module_hook_missing") == 1);
    host.log_debug("a line that is not shown");
  });
  CHECK(
      child.said.find("unknown yes\nset yes\ncalled yes\nforgotten yes\nasked yes\nlabel yes\nclosed yes\nmodule yes\n"
                      "plain yes\nrestored yes\nfacts yes\n[commtap ") == 0);
  CHECK(
      child.said.find(
          "] warning: module calls are not hooked, so all collectives are attributed to Global: a reason; run `commtap "
          "doctor`\n"
          "hook yes\n") != std::string::npos);
}

} // namespace
} // namespace commtap
