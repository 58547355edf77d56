// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/graph_calls.h"

#include <utility>

#include "report/model/saturating.h"

namespace commtap {
namespace {

/// Adds the amounts of `call` to the equal entry of `calls`, or appends `call`.
template <typename Call>
void add(std::vector<Call>& calls, Call call) {
  const uint64_t count = std::exchange(call.count, 0);
  const uint64_t bytes = std::exchange(call.bytes, 0);
  for (Call& known : calls) {
    Call key = known;
    key.count = key.bytes = 0;
    if (key == call) {
      addSaturating(known.count, count);
      addSaturating(known.bytes, bytes);
      return;
    }
  }
  call.count = count;
  call.bytes = bytes;
  calls.push_back(std::move(call));
}

} // namespace

void addGraphCall(std::vector<GraphCollective>& calls, GraphCollective call) {
  add(calls, std::move(call));
}

void addGraphCall(std::vector<GraphNcclCall>& calls, GraphNcclCall call) {
  add(calls, std::move(call));
}

} // namespace commtap
