// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/python_frames.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "report/ledger/ledger_format.h"
#include "tracker/attribution/module_registry.h"

namespace commtap {
namespace {

constinit std::atomic<ModulesInFrames> modules_in_frames{nullptr};
constinit std::atomic<RunningTorchFunction> running_torch_function{nullptr};
constinit std::atomic<RunsInEngine> runs_in_engine{nullptr};

constexpr size_t kMaxModules = 64; ///< of one unit, or one inside the other

/// Returns the modules that frames name, in `found`.
std::span<const uint32_t> readModules(CommtapInFrames what, uint32_t number, std::array<uint32_t, kMaxModules>& found) {
  const ModulesInFrames read = modules_in_frames.load(std::memory_order_acquire);
  const size_t count = read == nullptr ? 0 : std::min(read(what, number, found.data(), found.size()), found.size());
  return {found.data(), count};
}

} // namespace

void setModulesInFrames(ModulesInFrames function) {
  modules_in_frames.store(function, std::memory_order_release);
}

std::optional<uint32_t> moduleInFrames(CommtapInFrames what, uint32_t number) {
  std::array<uint32_t, kMaxModules> found{};
  const std::span<const uint32_t> members = readModules(what, number, found);
  if (members.empty()) {
    return std::nullopt;
  }
  uint32_t common = members[0];
  for (const uint32_t member : members.subspan(1)) {
    common = ModuleRegistry::get().commonAncestor(common, member);
  }
  return common == kGlobalModule ? std::nullopt : std::optional<uint32_t>(common);
}

uint32_t moduleOfRunningForward(uint32_t module) {
  std::array<uint32_t, kMaxModules> found{};
  for (const uint32_t around : readModules(kCommtapRunningForwards, 0, found)) {
    if (ModuleRegistry::get().commonAncestor(module, around) == around) {
      module = around;
    }
  }
  return module;
}

void setRunningTorchFunction(RunningTorchFunction function) {
  running_torch_function.store(function, std::memory_order_release);
}

CommtapTorchFunction runningTorchFunction() {
  const RunningTorchFunction read = running_torch_function.load(std::memory_order_acquire);
  return read == nullptr ? CommtapTorchFunction{nullptr, kCommtapNotForDdp, false} : read();
}

void setRunsInEngine(RunsInEngine function) {
  runs_in_engine.store(function, std::memory_order_release);
}

bool pythonRunsInEngine() {
  const RunsInEngine read = runs_in_engine.load(std::memory_order_acquire);
  return read != nullptr && read() != 0;
}

bool stepHasClosure() {
  const ModulesInFrames read = modules_in_frames.load(std::memory_order_acquire);
  uint32_t unused = 0;
  return read != nullptr && read(kCommtapStepClosure, 0, &unused, 1) > 0;
}

} // namespace commtap
