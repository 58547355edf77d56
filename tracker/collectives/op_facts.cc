// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/collective_kernel.h"

#include <algorithm>
#include <initializer_list>

#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

using Names = std::initializer_list<std::string_view>;

/// Returns true for a tensor, an optional tensor and lists of tensors.
bool holdsTensors(const c10::Argument& argument) {
  return argument.type()->str().rfind("Tensor", 0) == 0;
}

bool isInteger(const c10::Argument& argument) {
  return argument.type()->kind() == c10::TypeKind::IntType;
}

bool isBool(const c10::Argument& argument) {
  return argument.type()->kind() == c10::TypeKind::BoolType;
}

bool isAny(const c10::Argument& /*argument*/) {
  return true;
}

/// Returns the first argument with one of these names and a type that the kernel can read. A name has other
/// types in other ops: `src` is a rank or a tensor.
template <typename HasType>
std::optional<size_t> argumentNamed(const c10::FunctionSchema& schema, Names names, const HasType& has_type) {
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    if (std::find(names.begin(), names.end(), argument.name()) != names.end() && has_type(argument)) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<size_t> firstTensorArgument(const c10::FunctionSchema& schema) {
  const auto& arguments = schema.arguments();
  const auto found = std::find_if(arguments.begin(), arguments.end(), holdsTensors);
  return found == arguments.end() ? std::nullopt : std::optional<size_t>(found - arguments.begin());
}

/// Finds the payload. An op whose arguments have other names than in the table counts as unknown, with the bytes of its
/// first tensor.
void findPayload(OpFacts& facts, const OpSpec* spec, const c10::FunctionSchema& schema) {
  if (facts.payload == PayloadRule::kNone) {
    return;
  }
  const bool has_name = spec != nullptr && !spec->payload_argument.empty();
  if (has_name) {
    facts.payload_argument = argumentNamed(schema, {spec->payload_argument}, holdsTensors);
  }
  if (facts.payload == PayloadRule::kMatrixProduct) {
    facts.factor_argument = argumentNamed(schema, {"B"}, holdsTensors);
    facts.dtype_argument = argumentNamed(schema, {"out_dtype"}, isAny);
  }
  const bool has_factor = facts.payload != PayloadRule::kMatrixProduct || facts.factor_argument;
  facts.known = facts.known && (!has_name || facts.payload_argument) && has_factor;
  if (!facts.payload_argument) {
    facts.payload_argument = firstTensorArgument(schema);
  }
  if (!has_factor) {
    facts.payload = PayloadRule::kArgument;
  }
}

} // namespace

OpFacts factsOf(const c10::OperatorHandle& op) {
  const c10::FunctionSchema& schema = op.schema();
  const OpSpec* spec = findOpSpec(schema.name());
  OpFacts facts;
  facts.name = ProcessLedger::ledger().intern(dottedName(schema.name()));
  facts.argument_count = schema.arguments().size();
  facts.known = spec != nullptr;
  facts.kind = spec != nullptr ? spec->kind : Kind::kOther;
  facts.payload = spec != nullptr ? spec->payload : PayloadRule::kArgument;
  findPayload(facts, spec, schema);
  facts.input_argument =
      argumentNamed(schema, {"input_tensor", "input_tensors", "input", "inputs", "input_list"}, holdsTensors);
  facts.output_argument =
      argumentNamed(schema, {"output_tensor", "output_tensors", "output", "outputs", "output_lists"}, holdsTensors);
  facts.group_argument = argumentNamed(schema, {"process_group", "group_name", "group"}, isAny);
  facts.ranks_argument = argumentNamed(schema, {"group_size", "world_size"}, isInteger);
  facts.reduce_op_argument = argumentNamed(schema, {"reduce_op", "reduceOp", "red_op"}, isAny);
  facts.async_argument = argumentNamed(schema, {"async_op"}, isBool);
  if (isPointToPoint(facts.kind)) {
    facts.peer_argument = argumentNamed(schema, {"dst", "src", "peer", "dst_rank"}, isInteger);
  } else if (hasRoot(facts.kind)) {
    facts.peer_argument = argumentNamed(schema, {"root_rank", "root", "src", "dst"}, isInteger);
  }
  facts.splits = splitFactsOf(schema, facts.kind);
  facts.sequence_hash = facts.kind == Kind::kOther ? 0 : sequenceHashOf(schema.name());
  facts.is_of_library = spec != nullptr && !isCollectiveNamespace(schema.name());
  facts.functional = schema.name().rfind("c10d::", 0) != 0 && !facts.is_of_library;
  return facts;
}

} // namespace commtap
