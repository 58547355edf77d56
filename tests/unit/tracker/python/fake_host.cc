// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/tracker/python/fake_host.h"

#include <algorithm>

namespace commtap {
namespace {

uint32_t addModule(const CommtapModuleFacts* facts) {
  FakeHost& host = fakeHost();
  if (host.modules.size() > host.capacity) {
    return facts->parent;
  }
  host.modules.push_back(
      {facts->parent,
       facts->component,
       facts->class_name,
       facts->clean,
       facts->wrapped,
       facts->role,
       facts->wrapper != 0,
       false});
  return static_cast<uint32_t>(host.modules.size() - 1);
}

/// Moves only a root, as the tracker does. A module without a row has no place.
void reparentModule(uint32_t module, uint32_t parent, const char* component, int wrapper) {
  if (module >= fakeHost().modules.size() || fakeHost().modules[module].parent != 0) {
    return;
  }
  FakeModule& row = fakeHost().modules[module];
  row.parent = parent;
  row.component = component;
  row.is_wrapper = wrapper != 0;
}

/// The Python part also notes the deaths of modules of earlier test cases, which this table does not have.
void moduleDied(uint32_t module) {
  if (module < fakeHost().modules.size()) {
    fakeHost().modules[module].has_died = true;
  }
}

int wantsParameters(uint32_t module) {
  const auto& known = fakeHost().parameters;
  return std::none_of(known.begin(), known.end(), [module](const FakeParameter& each) { return each.module == module; })
             ? 1
             : 0;
}

void addParameter(uint32_t module, const CommtapParameterFacts* facts) {
  fakeHost().parameters.push_back(
      {module,
       facts->name,
       facts->shape,
       facts->local_shape,
       facts->dtype,
       facts->mesh,
       facts->placements,
       facts->requires_grad != 0});
}

uint32_t findModule(const void* object) {
  const auto found = fakeHost().ids.find(object);
  return found == fakeHost().ids.end() ? kCommtapUnknownModule : found->second;
}

int setModule(const void* object, uint32_t module) {
  if (fakeHost().has_memory) {
    fakeHost().ids[object] = module;
  }
  return fakeHost().has_memory ? 1 : 0;
}

uint32_t forgetModule(const void* object) {
  const uint32_t id = findModule(object);
  fakeHost().ids.erase(object);
  return id;
}

void note(const std::string& event) {
  fakeHost().events.push_back(event);
}

void* callModule(void* function, void* const* arguments, size_t flags, void* names) {
  note("call");
  return fakeHost().original(function, arguments, flags, names);
}

uint32_t beginSetUp(uint32_t module) {
  note("set up " + std::to_string(module));
  return 7;
}

void endSetUp(uint32_t depth) {
  note("end of set-up " + std::to_string(depth));
}

/// Hands over the components of a module and of those above it, joined by dots.
void moduleName(uint32_t module, CommtapTakeText take, void* data) {
  std::string name = fakeHost().modules.at(module).component;
  for (uint32_t at = fakeHost().modules.at(module).parent; at != 0; at = fakeHost().modules.at(at).parent) {
    name.insert(0, fakeHost().modules.at(at).component + ".");
  }
  take(data, name.c_str());
}

void* beginPlainTensors() {
  fakeHost().plain_tensors += 1;
  fakeHost().plain_tensors_at += 1;
  return &fakeHost();
}

void endPlainTensors(void* token) {
  fakeHost().plain_tensors -= token == &fakeHost() ? 1 : 0;
}

} // namespace

FakeHost& fakeHost() {
  static auto* instance = new FakeHost(); // leaked on purpose: modules die until the program ends
  return *instance;
}

const CommtapHost& fakeHostTable() {
  static const CommtapHost table = {
      .add_module = addModule,
      .reparent_module = reparentModule,
      .module_died = moduleDied,
      .wants_parameters = wantsParameters,
      .add_parameter = addParameter,
      .own_tensor = [](uint32_t module, void* tensor) { fakeHost().owned.emplace_back(module, tensor); },
      .current_module = [] { return fakeHost().current; },
      .module_name = moduleName,
      .begin_set_up = beginSetUp,
      .end_set_up = endSetUp,
      .find_module = findModule,
      .set_module = setModule,
      .forget_module = forgetModule,
      .call_module = callModule,
      .set_original_call = [](CommtapVectorcall original) { fakeHost().original = original; },
      .open_label = [](const char* label, const void*) { note(std::string("open ") + label); },
      .close_label = [](const void*) { note("close"); },
      .labels_missing = [] { fakeHost().missing.emplace_back("labels"); },
      .arguments_changed =
          [](const char* const* arguments, size_t count) {
            std::string text = "arguments";
            for (size_t i = 0; i < count; ++i) {
              text += std::string(" ") + arguments[i];
            }
            note(text);
          },
      .group_made = [](const char* name) { note(std::string("group ") + name); },
      .group_is_dimension = [](const char* group,
                               const char* dimension) { note(std::string("group ") + group + " is " + dimension); },
      .begin_plain_tensors = beginPlainTensors,
      .end_plain_tensors = endPlainTensors,
      .compiled_code_found = [] { ++fakeHost().compiled_code; },
      .graph_generated =
          [](const char* folder, const char* key, const char* lines) {
            fakeHost().graphs.push_back({folder, key, lines});
          },
      .wants_graph = [](const char*) { return fakeHost().wants_graphs ? 1 : 0; },
      .graph_loaded =
          [](const char* path, const char* lines) {
            fakeHost().graphs.push_back({"", path, lines});
          },
      .not_seen_module = [](const char* what) { fakeHost().not_seen.emplace_back(what); },
      .hook_missing = [](const char* why) { fakeHost().missing.emplace_back(why); },
      .log_debug = [](const char*) {},
  };
  return table;
}

HostFixture::HostFixture() {
  fakeHost() = {};
}

} // namespace commtap
