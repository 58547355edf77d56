// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/cuda_graphs.h"

#include <nlohmann/json.hpp>

#include "report/json/fields.h"
#include "report/json/json_write.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

ordered_json toJson(const GraphCollective& call) {
  return {
      {field::kModule, call.module},
      {field::kPhase, phaseName(call.phase)},
      {field::kOp, call.op},
      {field::kKind, kindName(call.kind)},
      {field::kGroup, call.group},
      {field::kCount, call.count},
      {field::kBytes, call.bytes},
  };
}

ordered_json toJson(const GraphNcclCall& call) {
  return {
      {field::kFunction, call.function},
      {field::kCommunicator, orNull(call.communicator)},
      {field::kCount, call.count},
      {field::kBytes, call.bytes},
  };
}

template <typename Call>
ordered_json listJson(const std::vector<Call>& calls) {
  ordered_json list = ordered_json::array();
  for (const Call& call : calls) {
    list.push_back(toJson(call));
  }
  return list;
}

ordered_json toJson(const CudaGraph& graph) {
  return {
      {field::kLaunches, graph.launches},
      {field::kCollectives, listJson(graph.collectives)},
      {field::kNcclCalls, listJson(graph.nccl_calls)},
  };
}

GraphCollective collectiveFrom(const JsonCursor& cursor) {
  return {
      cursor.text(field::kModule),
      cursor.name<Phase>(field::kPhase, phaseFromName),
      cursor.text(field::kOp),
      cursor.name<Kind>(field::kKind, kindFromName),
      cursor.text(field::kGroup),
      cursor.number<uint64_t>(field::kCount),
      cursor.number<uint64_t>(field::kBytes)};
}

GraphNcclCall callFrom(const JsonCursor& cursor) {
  return {
      cursor.text(field::kFunction),
      cursor.optionalNumber<uint32_t>(field::kCommunicator),
      cursor.number<uint64_t>(field::kCount),
      cursor.number<uint64_t>(field::kBytes)};
}

} // namespace

void appendCudaGraphs(std::string& text, const std::vector<CudaGraph>& graphs) {
  if (!graphs.empty()) {
    appendTable(text, field::kCudaGraphs, graphs, [](const auto& graph) { return toJson(graph); });
  }
}

CudaGraph cudaGraphFrom(const JsonCursor& cursor) {
  return {
      cursor.number<uint64_t>(field::kLaunches),
      cursor.list<GraphCollective>(field::kCollectives, collectiveFrom),
      cursor.list<GraphNcclCall>(field::kNcclCalls, callFrom)};
}

} // namespace commtap
