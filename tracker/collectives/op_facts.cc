// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/collective_kernel.h"

#include <initializer_list>

#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

std::optional<size_t> argumentNamed(const c10::FunctionSchema& schema, std::initializer_list<std::string_view> names) {
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    for (const std::string_view name : names) {
      if (schema.arguments()[i].name() == name) {
        return i;
      }
    }
  }
  return std::nullopt;
}

std::optional<size_t> firstTensorArgument(const c10::FunctionSchema& schema) {
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    if (schema.arguments()[i].type()->str().rfind("Tensor", 0) == 0) {
      return i;
    }
  }
  return std::nullopt;
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
  if (facts.payload != PayloadRule::kNone) {
    facts.payload_argument =
        spec != nullptr ? argumentNamed(schema, {spec->payload_argument}) : firstTensorArgument(schema);
    facts.known = facts.known && facts.payload_argument;
  }
  facts.input_argument = argumentNamed(schema, {"input_tensor", "input_tensors", "input", "inputs", "input_list"});
  facts.group_argument = argumentNamed(schema, {"process_group", "group_name", "group"});
  facts.reduce_op_argument = argumentNamed(schema, {"reduce_op", "reduceOp", "red_op"});
  facts.async_argument = argumentNamed(schema, {"async_op"});
  if (isPointToPoint(facts.kind)) {
    facts.peer_argument = argumentNamed(schema, {"dst", "src"});
  }
  facts.functional = schema.name().rfind("c10d::", 0) != 0;
  return facts;
}

} // namespace commtap
