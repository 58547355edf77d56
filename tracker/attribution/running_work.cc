// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/running_work.h"

#include <atomic>

#include "tracker/core/clock.h"

namespace commtap {
namespace {

enum class Search : uint8_t {
  kOpen,     ///< frames have shown no work yet
  kFound,    ///< frames have shown work
  kNeedless, ///< torch's labels are enough
  kTooLong,  ///< looks have taken kMostNs and found nothing
};

constinit decltype(CommtapPython::may_run_work) may_run_work = nullptr;
/// Null until both functions are set.
constinit std::atomic<decltype(CommtapPython::running_work)> running_work{nullptr};
constinit std::atomic<Search> search{Search::kOpen};
constinit std::atomic<uint64_t> spent_ns{0}; ///< by looks that found nothing
constinit std::atomic<uint32_t> silent_steps{0};

bool isStep(CommtapWork work) {
  return work == kCommtapOptimizerStep || work == kCommtapOptimizerStepWithClosure;
}

void change(Search from, Search to) {
  search.compare_exchange_strong(from, to, std::memory_order_relaxed);
}

void noteInVain(uint64_t took_ns) {
  if (spent_ns.fetch_add(took_ns, std::memory_order_relaxed) + took_ns > WorkInFrames::kMostNs) {
    change(Search::kOpen, Search::kTooLong);
  }
}

} // namespace

void WorkInFrames::setFunctions(
    decltype(CommtapPython::may_run_work) may_run,
    decltype(CommtapPython::running_work) read) {
  may_run_work = may_run;
  running_work.store(read, std::memory_order_release);
}

RunningWork WorkInFrames::find() {
  const Search state = search.load(std::memory_order_relaxed);
  const auto read = running_work.load(std::memory_order_acquire);
  RunningWork work;
  if (read == nullptr || state == Search::kNeedless || may_run_work() == 0) {
    return work;
  }
  if (state == Search::kTooLong) {
    work.unread = true;
    return work;
  }
  const uint64_t began_ns = threadNow();
  work.what = read(&work.module);
  if (isStep(work.what) || work.what == kCommtapBackward) {
    change(Search::kOpen, Search::kFound);
  } else if (work.what == kCommtapOtherWork) {
    noteInVain(threadNow() - began_ns);
  }
  return work;
}

void WorkInFrames::torchStepBegins() {
  const auto read = running_work.load(std::memory_order_acquire);
  if (read == nullptr || search.load(std::memory_order_relaxed) != Search::kOpen) {
    return;
  }
  uint32_t module = kGlobalModule;
  const bool is_silent = may_run_work() != 0 && isStep(read(&module));
  if (!is_silent || silent_steps.fetch_add(1, std::memory_order_relaxed) == kMostSilentSteps) {
    change(Search::kOpen, Search::kNeedless);
  }
}

} // namespace commtap
