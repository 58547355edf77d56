// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/counting.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "report/base/atomic_file.h"
#include "report/json/report_json.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tracker/attribution/attribution.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/collectives/collective_observers.h"
#include "tracker/collectives/count_captures.h"
#include "tracker/core/launch_environment.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/steps.h"
#include "tracker/modules/module_hook.h"
#include "tracker/modules/python_bridge.h"
#include "tracker/ops/op_observer.h"
#include "tracker/torch/compat.h"

namespace commtap {
namespace {

/// Keeps every exception from the job.
template <typename Body>
auto catchAsStatus(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return COMMTAP_FAILED;
  }
}

long copyText(const std::string& text, char* buffer, size_t size) {
  if (buffer != nullptr && size > 0) {
    const size_t length = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return static_cast<long>(text.size());
}

std::string reportText() {
  const Result<LedgerContents> contents = readLedger(ProcessLedger::ledger().bytes());
  return contents ? reportToJson(contents->report) : std::string();
}

commtap_place placeOf(uint32_t module, const char* phase) {
  ModuleRegistry& modules = ModuleRegistry::get();
  return {module, modules.parentOf(module), lastingText(modules.nameOf(module, ModuleName::kRaw)), phase};
}

Origin originHere() {
  ThreadState* thread = ThreadState::current();
  return thread == nullptr ? Origin() : currentOrigin(*thread);
}

int start() {
  return catchAsStatus([] {
    setCounting(true);
    return 0;
  });
}

int stop() {
  return catchAsStatus([] {
    setCounting(false);
    return 0;
  });
}

int reset() {
  ProcessLedger::ledger().zeroCounters();
  return COMMTAP_OK;
}

long snapshot(char* buffer, size_t size) {
  return catchAsStatus([&]() -> long {
    const std::string text = reportText();
    return text.empty() ? static_cast<long>(COMMTAP_FAILED) : copyText(text, buffer, size);
  });
}

int snapshotFile(const char* path) {
  if (path == nullptr || *path == '\0') {
    return COMMTAP_INVALID;
  }
  return catchAsStatus([&]() -> int {
    const std::string text = reportText();
    return !text.empty() && writeFileAtomically(path, text).empty() ? COMMTAP_OK : COMMTAP_FAILED;
  });
}

int scopePush(const char* name) {
  if (name == nullptr || *name == '\0') {
    return COMMTAP_INVALID;
  }
  return catchAsStatus([&] {
    pushScope(name);
    return 0;
  });
}

int scopePop() {
  return catchAsStatus([] { return popScope() ? 0 : static_cast<int>(COMMTAP_INVALID); });
}

long currentModule(char* buffer, size_t size) {
  return catchAsStatus(
      [&] { return copyText(ModuleRegistry::get().nameOf(originHere().issued_in, ModuleName::kClean), buffer, size); });
}

int markStep() {
  return catchAsStatus([] {
    Steps::mark();
    return 0;
  });
}

long currentStep() {
  return static_cast<long>(ProcessLedger::ledger().header().step.load(std::memory_order_relaxed));
}

int isBackward() {
  return compat::graphTask() != -1 ? 1 : 0;
}

int setCollectiveCallback(commtap_collective_callback callback, void* context) {
  return catchAsStatus([&] {
    CollectiveObservers::setCallback(callback, context);
    return 0;
  });
}

int setOpCallbackSafely(commtap_op_callback callback, void* context) {
  return catchAsStatus([&] {
    setOpCallback(callback, context);
    return 0;
  });
}

long captureBegin(commtap_threads threads) {
  return catchAsStatus([&]() -> long { return CountCaptures::get().begin(threads); });
}

long captureRead(long capture, commtap_collective* rows, size_t capacity) {
  return catchAsStatus([&]() -> long {
    const auto found = CountCaptures::get().read(capture);
    if (!found) {
      return COMMTAP_INVALID;
    }
    std::copy_n(found->begin(), rows == nullptr ? 0 : std::min(capacity, found->size()), rows);
    return static_cast<long>(found->size());
  });
}

int captureEnd(long capture) {
  return catchAsStatus([&] { return CountCaptures::get().end(capture) ? 0 : static_cast<int>(COMMTAP_INVALID); });
}

int where(commtap_place* place) {
  if (place == nullptr) {
    return COMMTAP_INVALID;
  }
  return catchAsStatus([&]() -> int {
    const Origin origin = originHere();
    *place = placeOf(origin.issued_in, lastingText(phaseName(origin.phase)));
    return COMMTAP_OK;
  });
}

int moduleInfo(uint32_t id, commtap_place* module) {
  if (module == nullptr || !ModuleRegistry::get().knows(id)) {
    return COMMTAP_INVALID;
  }
  return catchAsStatus([&]() -> int {
    *module = placeOf(id, "");
    return COMMTAP_OK;
  });
}

int keepInMemory() {
  return ProcessLedger::get().keepInMemory() ? COMMTAP_OK : COMMTAP_INVALID;
}

} // namespace

commtap_api apiTable() {
  return {
      .start = start,
      .stop = stop,
      .reset = reset,
      .snapshot = snapshot,
      .snapshot_file = snapshotFile,
      .scope_push = scopePush,
      .scope_pop = scopePop,
      .current_module = currentModule,
      .is_backward = isBackward,
      .set_collective_callback = setCollectiveCallback,
      .set_op_callback = setOpCallbackSafely,
      .capture_begin = captureBegin,
      .capture_read = captureRead,
      .capture_end = captureEnd,
      .where = where,
      .module_info = moduleInfo,
      .keep_in_memory = keepInMemory,
      .mark_step = markStep,
      .current_step = currentStep,
      .observe_modules = observePythonModules,
      .module_id = idOfPythonModule,
  };
}

} // namespace commtap
