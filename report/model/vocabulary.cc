// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/vocabulary.h"

namespace commtap {
namespace {

/// Returns the factor that nccl-tests multiply algorithm bandwidth by to get bus bandwidth.
double busFactor(Kind kind, uint32_t group_size) {
  const double others = group_size == 0 ? 1.0 : (group_size - 1.0) / group_size;
  switch (kind) {
    case Kind::kAllReduce:
      return 2.0 * others;
    case Kind::kAllGather:
    case Kind::kReduceScatter:
    case Kind::kAllToAll:
    case Kind::kGather:
    case Kind::kScatter:
      return others;
    case Kind::kBroadcast:
    case Kind::kReduce:
    case Kind::kSend:
    case Kind::kRecv:
      return group_size == 1 ? 0.0 : 1.0;
    case Kind::kBarrier:
    case Kind::kOther:
      return 0.0;
  }
  return 0.0;
}

} // namespace

double busBytes(Kind kind, uint64_t bytes, uint32_t group_size) {
  return static_cast<double>(bytes) * busFactor(kind, group_size);
}

} // namespace commtap
