// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// The functions that the stub calls. They order the start and the end; the work is done elsewhere.

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include "report/model/options.h"
#include "shim/tracker_abi.h"
#include "tracker/collectives/collective_kernel.h"
#include "tracker/collectives/nvtx_ranges.h"
#include "tracker/collectives/registration.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/clock.h"
#include "tracker/core/export.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/log.h"
#include "tracker/core/off_switch.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/timeline.h"
#include "tracker/counting.h"
#include "tracker/gloo/gloo_timing.h"
#include "tracker/gpu/device_timing.h"
#include "tracker/gpu/graph_captures.h"
#include "tracker/gpu/nccl_calls.h"
#include "tracker/gpu/stream_order.h"
#include "tracker/modules/python_bridge.h"
#include "tracker/torch/compat.h"
#include "tracker/torch/layout.h"
#include "tracker/verify/sampler.h"

namespace commtap {
namespace {

bool& started() {
  static bool instance = false;
  return instance;
}

/// True if the tracker has not started, but leaves a report that says why.
bool& staysOff() {
  static bool instance = false;
  return instance;
}

void finish(commtap_exit how, int code) {
  // Also runs in a vfork() child that fails to exec.
  if ((!started() && !staysOff()) || !ProcessLedger::get().isOfThisProcess()) {
    return;
  }
  try {
    if (started() && how != COMMTAP_EXIT_SIGNAL) {
      DeviceTiming::finish();
      Sampler::finish();
    }
    if (started() && ProcessLedger::get().hasOutput() && ProcessLedger::mayWrite(static_cast<ExitKind>(how))) {
      catchAll("signs of what cannot be seen", UnseenSigns::noteAll);
      catchAll("steps that were not sampled", Sampler::noteUnseenSteps);
    }
    ProcessLedger::get().finish(static_cast<ExitKind>(how), code);
  } catch (const std::exception&) { // the ledger stays, and a reader converts it
    return;
  }
}

/// Writes into the ledgers of another process by `note`.
void noteOf(long pid, int signal, void (ProcessLedger::*note)(int64_t pid, int signal) const) {
  const ErrnoGuard keep_errno;
  if (!started() || !ProcessLedger::get().isOfThisProcess()) {
    return;
  }
  try {
    (ProcessLedger::get().*note)(pid, signal);
  } catch (const std::exception&) { // the end of the other process then looks like a crash
    return;
  }
}

void signals(long pid, int signal) {
  noteOf(pid, signal, &ProcessLedger::noteSignalTo);
}

void childEnded(long pid, int signal) {
  noteOf(pid, signal, &ProcessLedger::noteEndOf);
}

void groupsDestroyed() {
  catchAll("the end of the groups", [] { ProcessLedger::ledger().allDestroyed(); });
}

void writeReportAtExit() {
  ExitHandler::install([](int status) { finish(COMMTAP_EXIT_NORMAL, status); });
}

/// Installs nothing in the process but the end of its report.
commtap_start_result stayOff(NotSeen why, const std::string& detail, const std::string& line) {
  staysOff() = true;
  writeReportAtExit();
  ProcessLedger::get().stayOff(why, detail, line);
  return COMMTAP_STAYS_OFF;
}

/// Returns nullopt if nothing speaks against counting in this process.
std::optional<commtap_start_result> stayOffIfNeeded(const std::string& torch_version) {
  const ProcessLedger& process = ProcessLedger::get();
  if (const std::string reason = process.reasonToStayOff(); !reason.empty()) {
    const std::string line = reason + "; empty " + process.offSwitchPath() + " to count all the same";
    return stayOff(NotSeen::kSwitchedOff, reason, line);
  }
  if (const std::string difference = layoutDifference(); !difference.empty()) {
    const std::string line = "torch " + torch_version + " differs from the torch " + compat::builtForTorch() +
                             " that the tracker was built for (" + difference + "): install a release of torch";
    return stayOff(NotSeen::kTorchLayout, difference, line);
  }
  return std::nullopt;
}

commtap_start_result startTracker(const char* torch_version, uint64_t found_at_ns) {
  const ParsedOptions parsed = parseOptions(environ);
  if (!ProcessLedger::start(parsed.options, torch_version)) {
    return COMMTAP_NOT_STARTED;
  }
  if (const std::optional<commtap_start_result> off = stayOffIfNeeded(torch_version)) {
    return *off;
  }
  if (!GlooTiming::start(parsed.options.timing)) {
    return COMMTAP_NOT_STARTED;
  }
  for (const std::string& warning : parsed.warnings) {
    logWarning(warning);
  }
  DeviceTiming::start(parsed.options.timing);
  watchForks();
  writeReportAtExit();
  countMetaTensors(parsed.options.plan == Plan::kFake);
  if (parsed.options.nvtx) {
    NvtxRanges::start();
  }
  startKernels(parsed.options.ops);
  Sampler::start(parsed.options.plan == Plan::kOff ? parsed.options.verify : SampledSteps());
  startPython(parsed.options.labels);
  startOps(parsed.options.level);
  started() = true;
  const uint64_t start_ns = steadyNow() - found_at_ns;
  ProcessLedger::ledger().changeHeader([start_ns](LedgerHeader& head) { head.cost.start_ns = start_ns; });
  logDebug(std::string("watching torch ") + torch_version);
  return COMMTAP_STARTED;
}

commtap_start_result start(const char* torch_version, uint64_t found_at_ns) {
  try {
    return started() ? COMMTAP_STARTED : startTracker(torch_version, found_at_ns);
  } catch (const std::exception&) { // the stub reports that the tracker did not start
    return COMMTAP_NOT_STARTED;
  }
}

const std::string& torchMinor() {
  static const std::string* version = new std::string(compat::builtForTorch());
  return *version;
}

} // namespace
} // namespace commtap

extern "C" {

COMMTAP_EXPORT const commtap_tracker* commtap_tracker_table() {
  static const commtap_tracker table = {
      .abi = COMMTAP_ABI,
      .torch_version = commtap::torchMinor().c_str(),
      .start = commtap::start,
      .finish = commtap::finish,
      .signals = commtap::signals,
      .child_ended = commtap::childEnded,
      .timing = commtap::GlooTiming::hooks,
      .nccl = commtap::NcclCalls::hooks,
      .cuda = commtap::GraphCaptures::hooks,
      .streams = commtap::StreamOrder::hooks,
      .symmetric_memory_exchanged = commtap::UnseenSigns::symmetricMemoryExchanged,
      .groups_destroyed = commtap::groupsDestroyed,
      .api = commtap::apiTable(),
  };
  return &table;
}

/// For benchmarks: like commtap_start and commtap_stop of commtap.h.
COMMTAP_EXPORT void commtap_set_enabled(int enabled) {
  if (commtap::started()) {
    commtap::setCounting(enabled != 0);
  }
}

} // extern "C"
