// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/nccl_json.h"

#include <nlohmann/json.hpp>

#include "report/json/fields.h"
#include "report/json/json_write.h"
#include "report/model/nccl.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

std::optional<NcclSource> sourceFromName(std::string_view name) {
  for (const NcclSource source : {NcclSource::kCall, NcclSource::kPlugin}) {
    if (name == ncclSourceName(source)) {
      return source;
    }
  }
  return std::nullopt;
}

ordered_json toJson(const NcclCommunicator& communicator) {
  return {
      {field::kSize, orNull(communicator.size)},
      {field::kRank, orNull(communicator.rank)},
      {field::kGroup, textOrNull(communicator.group)},
  };
}

ordered_json toJson(const NcclCall& call) {
  return {
      {field::kFunction, call.function},
      {field::kCommunicator, orNull(call.communicator)},
      {field::kOp, textOrNull(call.op)},
      {field::kGroup, textOrNull(call.group)},
      {field::kModule, call.module},
      {field::kPhase, phaseName(call.phase)},
      {field::kDtype, textOrNull(call.dtype)},
      {field::kInGroup, orNull(call.in_group)},
      {field::kSource, ncclSourceName(call.source)},
      {field::kCount, call.count},
      {field::kFailed, call.failed},
      {field::kBytes, call.bytes},
      {field::kCaptured, call.captured},
  };
}

NcclCommunicator communicatorFrom(const JsonCursor& cursor) {
  return {
      cursor.optionalNumber<uint32_t>(field::kSize),
      cursor.optionalNumber<uint32_t>(field::kRank),
      cursor.textOrEmpty(field::kGroup)};
}

NcclCall callFrom(const JsonCursor& cursor) {
  return {
      cursor.text(field::kFunction),
      cursor.optionalNumber<uint32_t>(field::kCommunicator),
      cursor.textOrEmpty(field::kOp),
      cursor.textOrEmpty(field::kGroup),
      cursor.text(field::kModule),
      cursor.name<Phase>(field::kPhase, phaseFromName),
      cursor.textOrEmpty(field::kDtype),
      cursor.has(field::kInGroup) ? std::optional(cursor.at(field::kInGroup).as<bool>("true or false")) : std::nullopt,
      cursor.name<NcclSource>(field::kSource, sourceFromName),
      cursor.number<uint64_t>(field::kCount),
      cursor.number<uint64_t>(field::kFailed),
      cursor.number<uint64_t>(field::kBytes),
      cursor.has(field::kCaptured) ? cursor.number<uint64_t>(field::kCaptured) : 0};
}

} // namespace

void appendNccl(std::string& text, const Nccl& nccl) {
  text +=
      ",\n  \"" + std::string(field::kNccl) + "\": {\"" + field::kVersion + "\": " + jsonLine(textOrNull(nccl.version));
  appendTable(text, field::kCommunicators, nccl.communicators, [](const auto& row) { return toJson(row); });
  appendTable(text, field::kCalls, nccl.calls, [](const auto& row) { return toJson(row); });
  text += '}';
}

Nccl ncclFrom(const JsonCursor& cursor) {
  return {
      cursor.textOrEmpty(field::kVersion),
      cursor.list<NcclCommunicator>(field::kCommunicators, communicatorFrom),
      cursor.list<NcclCall>(field::kCalls, callFrom)};
}

} // namespace commtap
