// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/graph_captures.h"

#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>

#include "tracker/core/catch_all.h"
#include "tracker/core/process_ledger.h"
#include "tracker/gpu/device_event.h"

namespace commtap {
namespace {

/// The calls of one launch, by row.
struct Calls {
  std::map<LedgerCollective*, LedgerAmount> collectives;
  std::map<LedgerNcclCall*, LedgerAmount> of_nccl;
  LedgerGraph* ledger = nullptr; ///< set when the capture ends; nullptr if the table is full

  void add(const Calls& other) {
    for (const auto& [row, amount] : other.collectives) {
      collectives[row] += amount;
    }
    for (const auto& [row, amount] : other.of_nccl) {
      of_nccl[row] += amount;
    }
  }
};

using OpenCaptures = std::unordered_map<uint64_t, Calls>;
using Graphs = std::unordered_map<const void*, std::shared_ptr<const Calls>>;

struct CaptureState {
  std::mutex mutex;
  OpenCaptures captures;
  Graphs graphs; ///< graphs and their instances that communicate, by address
};

CaptureState& captureState() {
  static CaptureState* instance = new CaptureState(); // leaked on purpose: threads launch until the process exits
  return *instance;
}

LedgerWriter& ledger() {
  return ProcessLedger::ledger();
}

uint64_t captureOf(void* stream) {
  const CudaDriver* driver = GraphCaptures::isCapturing() ? CudaDriver::get() : nullptr;
  return driver == nullptr ? 0 : driver->captureOf(stream);
}

void writeCalls(const Calls& calls, LedgerGraph& graph) {
  for (const auto& [row, amount] : calls.collectives) {
    ledger().addGraphCall(graph, *row, amount);
  }
  for (const auto& [row, amount] : calls.of_nccl) {
    ledger().addGraphCall(graph, *row, amount);
  }
}

/// Adds `calls` to those that a launch of `graph` makes.
void addTo(const void* graph, Calls calls, const std::lock_guard<std::mutex>& /*lock*/) {
  std::shared_ptr<const Calls>& known = captureState().graphs[graph];
  if (known != nullptr) {
    calls.add(*known);
  }
  calls.ledger = ledger().addGraph();
  if (calls.ledger != nullptr) {
    writeCalls(calls, *calls.ledger);
  }
  known = std::make_shared<const Calls>(std::move(calls));
}

/// Returns nullptr if `graph` does not communicate.
std::shared_ptr<const Calls> callsOf(const void* graph, const std::lock_guard<std::mutex>& /*lock*/) {
  const auto found = captureState().graphs.find(graph);
  return found == captureState().graphs.end() ? nullptr : found->second;
}

void count(const Calls& calls) {
  for (const auto& [row, amount] : calls.collectives) {
    ledger().count(*row, amount);
  }
  for (const auto& [row, amount] : calls.of_nccl) {
    row->count.fetch_add(amount.count, std::memory_order_relaxed);
    row->bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
  }
  if (calls.ledger != nullptr) {
    calls.ledger->launches.fetch_add(1, std::memory_order_relaxed);
  }
}

template <typename Act>
void guardedAndLocked(const Act& act) {
  catchAll("cudaGraph", [&] {
    const std::lock_guard<std::mutex> lock(captureState().mutex);
    act(lock);
  });
}

void shares(const void* graph, const void* other) {
  guardedAndLocked([&](const std::lock_guard<std::mutex>& lock) {
    if (std::shared_ptr<const Calls> calls = callsOf(graph, lock)) {
      captureState().graphs[other] = std::move(calls);
    } else {
      captureState().graphs.erase(other);
    }
  });
}

void includes(const void* graph, const void* child) {
  guardedAndLocked([&](const std::lock_guard<std::mutex>& lock) {
    if (const std::shared_ptr<const Calls> calls = callsOf(child, lock)) {
      addTo(graph, *calls, lock);
    }
  });
}

/// Counts a launch; a launch that is captured itself becomes part of that capture.
void launched(const void* instance, void* stream) {
  guardedAndLocked([&](const std::lock_guard<std::mutex>& lock) {
    const std::shared_ptr<const Calls> calls = callsOf(instance, lock);
    if (calls == nullptr) {
      return;
    }
    if (const uint64_t capture = captureOf(stream); capture != 0) {
      captureState().captures[capture].add(*calls);
    } else {
      count(*calls);
    }
  });
}

void gone(const void* graph) {
  guardedAndLocked([&](const auto& /*lock*/) { captureState().graphs.erase(graph); });
}

/// Takes back a collective's count: it was counted when issued, before the capture was known.
void takeBack(OpFrame& frame) {
  ledger().count(*frame.row, {0 - uint64_t{1}, 0 - frame.bytes});
  frame.captured = true;
}

} // namespace

std::atomic<uint32_t> GraphCaptures::open_captures_{0};

void GraphCaptures::captureBegan() {
  open_captures_.fetch_add(1, std::memory_order_relaxed);
}

void GraphCaptures::captureEnded(uint64_t capture, const void* graph) {
  guardedAndLocked([&](const std::lock_guard<std::mutex>& lock) {
    const auto found = captureState().captures.find(capture);
    if (found == captureState().captures.end()) {
      return;
    }
    if (graph != nullptr) {
      addTo(graph, std::move(found->second), lock);
    }
    captureState().captures.erase(found);
  });
  // More captures may end than began under the shim.
  uint32_t open = open_captures_.load(std::memory_order_relaxed);
  while (open > 0 && !open_captures_.compare_exchange_weak(open, open - 1, std::memory_order_relaxed)) {
  }
}

bool GraphCaptures::capture(void* stream, LedgerNcclCall& row, uint64_t bytes, OpFrame* frame) {
  const uint64_t capture = captureOf(stream);
  if (capture == 0) {
    return false;
  }
  const std::lock_guard<std::mutex> lock(captureState().mutex);
  Calls& calls = captureState().captures[capture];
  calls.of_nccl[&row] += {1, bytes};
  if (frame != nullptr && frame->row != nullptr && !frame->captured) {
    calls.collectives[frame->row] += {1, frame->bytes};
    takeBack(*frame);
  }
  return true;
}

const commtap_cuda* GraphCaptures::hooks() {
  static constexpr commtap_cuda kHooks = {
      .capture_began = captureBegan,
      .capture_of = captureOf,
      .capture_ended = captureEnded,
      .shares = shares,
      .includes = includes,
      .launched = launched,
      .gone = gone,
  };
  return &kHooks;
}

ForkLock GraphCaptures::forkLock() {
  const auto start_anew = [] {
    new (&captureState().captures) OpenCaptures();
    new (&captureState().graphs) Graphs();
  };
  return {&captureState().mutex, start_anew, "CUDA graphs at a fork"};
}

void GraphCaptures::resetInForkedChild() {
  captureState().captures.clear();
  captureState().graphs.clear();
  open_captures_.store(0);
}

} // namespace commtap
