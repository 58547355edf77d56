// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/group_calls.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <c10/util/WaitCounter.h>

#include "report/model/rank_ranges.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/clock.h"
#include "tracker/core/process_ledger.h"
#include "tracker/torch/function_names.h"

namespace commtap {
namespace {

using c10::monitor::detail::WaitCounterBackendFactoryIf;
using c10::monitor::detail::WaitCounterBackendIf;
using TimePoint = std::chrono::steady_clock::time_point;

/// Returns " of ranks 0-3", which a reader compares between ranks; "" if they are not known.
std::string ranksText(GroupCalls::ReadRanks read_ranks) {
  constexpr size_t kMostText = 200;
  std::vector<uint32_t> ranks;
  const auto take = [](void* list, int64_t rank) {
    static_cast<std::vector<uint32_t>*>(list)->push_back(static_cast<uint32_t>(rank));
  };
  switch (read_ranks(take, &ranks)) {
    case kCommtapAllRanks:
      return " of all ranks";
    case kCommtapNamedRanks:
      std::ranges::sort(ranks); // as torch does
      return (" of ranks " + rangesText(ranks)).substr(0, kMostText);
    case kCommtapUnknownRanks:
      break;
  }
  return {};
}

/// Hears of the calls of one function.
class CallsOfFunction final : public WaitCounterBackendIf {
 public:
  CallsOfFunction(std::string_view function, GroupCalls::ReadRanks read_ranks)
      : function_(function), read_ranks_(read_ranks) {}

  intptr_t start(TimePoint /*now*/) noexcept override {
    LedgerOpenCall* open = nullptr;
    catchAll(function_, [this, &open] { open = enter(); });
    return reinterpret_cast<intptr_t>(open);
  }

  void stop(TimePoint /*now*/, intptr_t started) noexcept override {
    if (auto* open = reinterpret_cast<LedgerOpenCall*>(started)) { // NOLINT(performance-no-int-to-ptr): torch's type
      LedgerWriter::leave(*open);
    }
  }

 private:
  /// Returns nullptr in a process that is no rank yet: the ledger's records still move to their file.
  LedgerOpenCall* enter() const {
    LedgerWriter& ledger = ProcessLedger::ledger();
    if (!ProcessLedger::get().hasOutput() || !ledger.noteOpenCalls()) {
      return nullptr;
    }
    const bool has_ranks = function_ == torch_names::kNewGroup && read_ranks_ != nullptr;
    const std::string text = std::string(function_) + (has_ranks ? ranksText(read_ranks_) : "");
    return ledger.enter(ledger.intern(text), kNoIndex, steadyNow(), 0);
  }

  std::string_view function_;
  GroupCalls::ReadRanks read_ranks_;
};

class Functions final : public WaitCounterBackendFactoryIf {
 public:
  explicit Functions(GroupCalls::ReadRanks read_ranks) : read_ranks_(read_ranks) {}

  /// torch asks once for each of its counters. Other counters than those here cost nothing.
  std::unique_ptr<WaitCounterBackendIf> create(std::string_view key) noexcept override {
    using torch_names::kMakersOfGroups;
    using torch_names::kWaitCounters;
    std::unique_ptr<WaitCounterBackendIf> calls;
    if (!key.starts_with(kWaitCounters)) {
      return calls;
    }
    const auto* found = std::find(kMakersOfGroups.begin(), kMakersOfGroups.end(), key.substr(kWaitCounters.size()));
    if (found != kMakersOfGroups.end()) {
      catchAll("calls that make groups", [&] { calls = std::make_unique<CallsOfFunction>(*found, read_ranks_); });
    }
    return calls;
  }

 private:
  GroupCalls::ReadRanks read_ranks_;
};

} // namespace

void GroupCalls::start(ReadRanks read_ranks) {
  c10::monitor::detail::registerWaitCounterBackend(std::make_unique<Functions>(read_ranks));
}

} // namespace commtap
