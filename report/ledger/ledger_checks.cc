// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_checks.h"

#include "report/model/saturating.h"

namespace commtap {

uint32_t checkOf(const LedgerHeader& header) {
  // clang-format does not break lists of bindings.
  // clang-format off
  const auto& [magic, version, header_size, check, end_check, exit, exit_code, pid, pid_start_ticks, started_at_ns,
               parent_pid, run_began_ns, ended_at_ns, rank, world_size, local_rank, attempt, run_id, name, host,
               boot_id, argv, torch_version, python_version, commtap_version, report_name, level, timing_every,
               timing_device, nccl, resets, signal_sent, signal_sent_at_ns, ended_by, reserved, step,
               realtime_minus_steady, sections, not_seen, cost, steps_from, planned] = header;
  // clang-format on
  Checksum sum;
  for (const uint64_t number :
       {uint64_t{version},
        uint64_t{header_size},
        pid,
        pid_start_ticks,
        started_at_ns,
        parent_pid,
        run_began_ns,
        static_cast<uint64_t>(rank),
        static_cast<uint64_t>(world_size),
        static_cast<uint64_t>(local_rank),
        static_cast<uint64_t>(attempt),
        uint64_t{run_id},
        uint64_t{name},
        uint64_t{host},
        uint64_t{boot_id},
        uint64_t{argv},
        uint64_t{torch_version},
        uint64_t{python_version},
        uint64_t{commtap_version},
        uint64_t{report_name},
        uint64_t{level},
        uint64_t{timing_every},
        uint64_t{timing_device},
        uint64_t{nccl.load()},
        uint64_t{resets},
        realtime_minus_steady,
        cost.start_ns,
        cost.index_bytes.load(),
        uint64_t{planned}}) {
    sum.add(number);
  }
  for (const LedgerSection& section : sections) {
    sum.add(section.offset);
    sum.add(section.capacity);
    sum.add(section.record_size);
  }
  return sum.value();
}

uint32_t checkOfEnd(const LedgerHeader& header) {
  const bool ended = header.exit.load() != 0 || header.exit_code != 0 || header.ended_at_ns.load() != 0;
  return ended ? checksumOf(header.exit.load(), header.exit_code, header.ended_at_ns.load()) : 0;
}

void raiseTo(std::atomic<uint64_t>& highest, uint64_t value) {
  uint64_t seen = highest.load(std::memory_order_relaxed);
  while (seen < value && !highest.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

void addDuration(LedgerDurations& durations, uint64_t ns) {
  durations.sum_ns.fetch_add(ns, std::memory_order_relaxed);
  raiseTo(durations.max_ns, ns);
  raiseTo(durations.min_ns_inverted, ~ns);
  durations.counts[durationClass(ns)].fetch_add(1, std::memory_order_relaxed);
}

Durations durationsOf(const LedgerDurations& durations) {
  Durations read;
  for (uint32_t i = 0; i < kDurationClasses; ++i) {
    if (const uint64_t count = durations.counts[i].load(std::memory_order_relaxed); count > 0) {
      read.histogram[durationClassStart(i)] = count;
      addSaturating(read.count, count);
    }
  }
  if (read.count > 0) {
    read.sum_ns = durations.sum_ns.load(std::memory_order_relaxed);
    read.max_ns = durations.max_ns.load(std::memory_order_relaxed);
    read.min_ns = ~durations.min_ns_inverted.load(std::memory_order_relaxed);
  }
  return read;
}

} // namespace commtap
