// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/fast_nccl_json.h"

#include "report/json/fields.h"

namespace commtap {
namespace {

namespace dom = fast_json::dom;
using fast_json::integer;
using fast_json::integerOrNone;
using fast_json::list;
using fast_json::sure;
using fast_json::text;
using fast_json::textOrEmpty;

NcclCommunicator communicatorFrom(dom::object row) {
  return {
      integerOrNone<uint32_t>(row[field::kSize]),
      integerOrNone<uint32_t>(row[field::kRank]),
      textOrEmpty(row[field::kGroup])};
}

NcclCall ncclCallFrom(dom::object row) {
  NcclCall call;
  call.function = text(row[field::kFunction]);
  call.op = textOrEmpty(row[field::kOp]);
  call.group = textOrEmpty(row[field::kGroup]);
  call.module = text(row[field::kModule]);
  call.phase = sure(phaseFromName(row[field::kPhase].get_string()));
  call.dtype = textOrEmpty(row[field::kDtype]);
  call.count = integer<uint64_t>(row[field::kCount]);
  call.failed = integer<uint64_t>(row[field::kFailed]);
  call.bytes = integer<uint64_t>(row[field::kBytes]);
  return call;
}

} // namespace

Nccl fastNcclFrom(dom::object object) {
  return {
      textOrEmpty(object[field::kVersion]),
      list<NcclCommunicator>(object[field::kCommunicators], communicatorFrom),
      list<NcclCall>(object[field::kCalls], ncclCallFrom)};
}

} // namespace commtap
