// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/hang/verdict_columns.h"
#include "report/job/job_detail_columns.h"
#include "report/json/columns.h"
#include "report/json/enum_names.h"
#include "report/json/nccl_columns.h"
#include "report/json/process_columns.h"
#include "report/json/row_columns.h"
#include "report/verify/verification_columns.h"
#include "tools/list/list_columns.h"

/// Generates the parts of the JSON Schemas that describe rows.
namespace commtap::schema {

using nlohmann::ordered_json;

/// The name of a row type's definition in its schema's `$defs`.
template <typename Row>
inline constexpr const char* kDefinition = nullptr;
template <>
inline constexpr const char* kDefinition<Durations> = "durations";
template <>
inline constexpr const char* kDefinition<Job> = "job";
template <>
inline constexpr const char* kDefinition<Group> = "group";
template <>
inline constexpr const char* kDefinition<Parameter> = "parameter";
template <>
inline constexpr const char* kDefinition<Module> = "module";
template <>
inline constexpr const char* kDefinition<StalledIn> = "stalled_in";
template <>
inline constexpr const char* kDefinition<Imbalance> = "imbalance";
template <>
inline constexpr const char* kDefinition<Splits> = "splits";
template <>
inline constexpr const char* kDefinition<Collective> = "collective";
template <>
inline constexpr const char* kDefinition<Member> = "member";
template <>
inline constexpr const char* kDefinition<Operation> = "operation";
template <>
inline constexpr const char* kDefinition<StepAmount> = "step_amount";
template <>
inline constexpr const char* kDefinition<Step> = "step";
template <>
inline constexpr const char* kDefinition<LastCollective> = "last_collective";
template <>
inline constexpr const char* kDefinition<NcclCommunicator> = "nccl_communicator";
template <>
inline constexpr const char* kDefinition<NcclCall> = "nccl_call";
template <>
inline constexpr const char* kDefinition<NcclOpenCall> = "nccl_open_call";
template <>
inline constexpr const char* kDefinition<GraphCollective> = "graph_collective";
template <>
inline constexpr const char* kDefinition<GraphNcclCall> = "graph_nccl_call";
template <>
inline constexpr const char* kDefinition<CudaGraph> = "cuda_graph";
template <>
inline constexpr const char* kDefinition<OwnCost> = "own_cost";
template <>
inline constexpr const char* kDefinition<NotSeenEntry> = "not_seen_entry";
template <>
inline constexpr const char* kDefinition<JobReport> = "job";
template <>
inline constexpr const char* kDefinition<JobTotal> = "ranked_total";
template <>
inline constexpr const char* kDefinition<JobGroup> = "group";
template <>
inline constexpr const char* kDefinition<JobModule> = "module";
template <>
inline constexpr const char* kDefinition<JobCollective> = "collective";
template <>
inline constexpr const char* kDefinition<JobStepAmount> = "step_amount";
template <>
inline constexpr const char* kDefinition<JobStep> = "step";
template <>
inline constexpr const char* kDefinition<JobRowTime> = "row_time";
template <>
inline constexpr const char* kDefinition<ExposedCauses> = "exposed_causes";
template <>
inline constexpr const char* kDefinition<Straggler> = "straggler";
template <>
inline constexpr const char* kDefinition<TimeTotals> = "times";
template <>
inline constexpr const char* kDefinition<JobProcess> = "process";
template <>
inline constexpr const char* kDefinition<JobNcclVersion> = "nccl_version";
template <>
inline constexpr const char* kDefinition<JobNcclCall> = "nccl_call";
template <>
inline constexpr const char* kDefinition<NotSeenSummary> = "not_seen_entry";

template <>
inline constexpr const char* kDefinition<HangCall> = "call";
template <>
inline constexpr const char* kDefinition<HangRank> = "rank";
template <>
inline constexpr const char* kDefinition<HangCount> = "count";
template <>
inline constexpr const char* kDefinition<HangDivergence> = "divergence";
template <>
inline constexpr const char* kDefinition<HangEnd> = "end";
template <>
inline constexpr const char* kDefinition<HangStack> = "stack";
template <>
inline constexpr const char* kDefinition<Verdict> = "verdict";

template <>
inline constexpr const char* kDefinition<ListedRun> = "run";
template <>
inline constexpr const char* kDefinition<RunList> = "list";

template <>
inline constexpr const char* kDefinition<VerifyRanks> = "rank_set";
template <>
inline constexpr const char* kDefinition<VerifyFinding> = "finding";
template <>
inline constexpr const char* kDefinition<Verification> = "verification";

/// Ranks as ranges, "0-63,128"; "" for none.
inline constexpr const char* kRangesPattern = "^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$";

inline ordered_json refTo(const std::string& definition) {
  return {{"$ref", definition.find('#') == std::string::npos ? "#/$defs/" + definition : definition}};
}
inline ordered_json listOf(ordered_json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}
template <typename Number>
ordered_json numberOf(const char* type, std::optional<Number> minimum) {
  ordered_json schema = {{"type", type}};
  if (minimum) {
    schema["minimum"] = *minimum;
  }
  return schema;
}

template <typename Enum>
ordered_json namesOf() {
  ordered_json names = ordered_json::array();
  for (int i = 0; i < EnumNames<Enum>::kCount; ++i) {
    names.push_back(EnumNames<Enum>::name(static_cast<Enum>(i)));
  }
  return names;
}

/// Returns the schema of a value with parts.
template <typename Value>
ordered_json compoundSchemaOf(const ColumnFacts& facts);

/// Returns the schema of a value that is not null.
template <typename Value, typename Format>
ordered_json schemaOf(const ColumnFacts& facts) {
  constexpr bool is_spread = requires(Value value) {
    value.min_rank;
  };
  if (facts.ref != nullptr) {
    return refTo(facts.ref);
  } else if constexpr (std::is_same_v<Format, RealTime>) {
    return refTo("time");
  } else if constexpr (
      std::is_same_v<Format, RankList> || std::is_same_v<Value, RankRanges> ||
      std::is_same_v<Value, std::vector<std::vector<uint32_t>>>) {
    const ordered_json ranges = {{"type", "string"}, {"pattern", kRangesPattern}};
    return std::is_same_v<Value, std::vector<std::vector<uint32_t>>> ? listOf(ranges) : ranges;
  } else if constexpr (std::is_same_v<Format, GroupRef> || std::is_same_v<Value, std::string>) {
    return {{"type", "string"}};
  } else if constexpr (is_spread) {
    return refTo(std::floating_point<decltype(Value::sum)> ? "number_spread" : "count_spread");
  } else if constexpr (std::is_same_v<Value, Phase>) {
    return refTo("phase");
  } else if constexpr (std::is_same_v<Value, Kind>) {
    return refTo("kind");
  } else if constexpr (NamedEnum<Value>) {
    return {{"enum", namesOf<Value>()}};
  } else if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, AsyncOp>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::integral<Value>) {
    return numberOf("integer", facts.minimum);
  } else if constexpr (std::floating_point<Value>) {
    return numberOf("number", facts.minimum);
  } else if constexpr (std::is_same_v<Value, Timing>) {
    return {{"type", "string"}, {"pattern", "^(off|host|device|sample:[1-9][0-9]*)$"}};
  } else {
    return compoundSchemaOf<Value>(facts);
  }
}

template <typename Value>
ordered_json compoundSchemaOf(const ColumnFacts& facts) {
  if constexpr (std::is_same_v<Value, Histogram>) {
    return {
        {"type", "object"},
        {"propertyNames", {{"pattern", "^(0|[1-9][0-9]*)$"}}},
        {"additionalProperties", numberOf<int>("integer", 1)}};
  } else if constexpr (std::is_same_v<Value, SpreadsByPhase>) {
    ordered_json phases = ordered_json::object();
    for (int i = 0; i < kPhaseCount; ++i) {
      phases[std::string(phaseName(static_cast<Phase>(i)))] = refTo("count_spread");
    }
    return {{"type", "object"}, {"properties", std::move(phases)}};
  } else if constexpr (std::is_same_v<Value, Amounts>) {
    return listOf(refTo("total"));
  } else if constexpr (std::is_same_v<Value, AmountsByKind>) {
    return listOf(refTo("kind_total"));
  } else if constexpr (Described<Value>) {
    return refTo(kDefinition<Value>);
  } else if constexpr (requires { typename Value::value_type; }) {
    ordered_json list = listOf(schemaOf<typename Value::value_type, AsItIs>({}));
    if (facts.unique) {
      list["uniqueItems"] = true;
    }
    return list;
  } else {
    throw std::logic_error("a column without a schema: name a definition by ColumnFacts::ref");
  }
}

/// Returns the schema with null allowed.
inline ordered_json orNullSchema(ordered_json schema) {
  if (schema.contains("type")) {
    schema["type"] = {schema["type"], "null"};
    return schema;
  }
  return {{"anyOf", {std::move(schema), {{"type", "null"}}}}};
}

template <typename Value, typename Format>
constexpr bool isNullable() {
  return ItemOf<Value>::kOptional || std::is_same_v<Value, AsyncOp> || requires {
    requires Format::kNullable;
  };
}

inline std::string helpOf(const char* help, Presence presence) {
  return std::string(help) + (presence == Presence::kIfTimed ? " Written only with COMMTAP_TIMING." : "");
}

/// Returns the type of a field, in the page's words.
template <typename Value, typename Format>
constexpr const char* typeName() {
  using Item = typename ItemOf<Value>::Type;
  if constexpr (std::is_same_v<Format, RealTime>) {
    return "time";
  } else if constexpr (
      (std::is_same_v<Item, std::string> && !std::is_same_v<Format, JsonObject>) || std::is_same_v<Format, RankList>) {
    return "text";
  } else if constexpr (NamedEnum<Item> || std::is_same_v<Item, Timing>) {
    return "name";
  } else if constexpr (std::is_same_v<Item, bool> || std::is_same_v<Item, AsyncOp>) {
    return "true or false";
  } else if constexpr (std::integral<Item> || std::floating_point<Item>) {
    return "number";
  } else if constexpr (
      std::is_same_v<Item, Histogram> || std::is_same_v<Item, CallsByPhase> || std::is_same_v<Item, CollectiveTime> ||
      std::is_same_v<Format, JsonObject> || Described<Item>) {
    return "object";
  } else {
    return "list";
  }
}

/// A column without its C++ type: code for hundreds of columns is then compiled once.
struct FieldFacts {
  const char* name;
  const char* help;
  const char* type;      ///< typeName()
  const char* type_help; ///< of an enum; "" for other types
  const ColumnFacts& facts;
  bool is_nullable;
  ordered_json (*schemaOf)(const ColumnFacts& facts) = nullptr;
  void (*addRow)(ordered_json& object) = nullptr; ///< of a row that is written in the field's place; else nullptr
};

template <Described Row>
void addRow(ordered_json& object);

template <typename Row, typename Value, typename Format>
constexpr FieldFacts factsOf(const Column<Row, Value, Format>& column) {
  FieldFacts field{column.name, column.help, typeName<Value, Format>(), "", column.facts, isNullable<Value, Format>()};
  if constexpr (NamedEnum<Value>) {
    field.type_help = EnumNames<Value>::kHelp;
  }
  if constexpr (std::is_same_v<Format, Inline>) {
    field.addRow = addRow<Value>;
  } else {
    field.schemaOf = schemaOf<typename ItemOf<Value>::Type, Format>;
  }
  return field;
}

template <Described Row>
inline constexpr auto kFields =
    std::apply([](const auto&... column) { return std::array{factsOf(column)...}; }, kColumns<Row>);

inline void addField(ordered_json& object, const FieldFacts& field) {
  if (field.addRow != nullptr) {
    field.addRow(object);
    return;
  }
  ordered_json schema = field.schemaOf(field.facts);
  ordered_json described = ordered_json::object();
  if (const std::string help = helpOf(field.help, field.facts.presence); !help.empty()) {
    described["description"] = help;
  }
  if (field.is_nullable) {
    schema = orNullSchema(std::move(schema));
  }
  described.update(schema);
  object["properties"][field.name] = std::move(described);
  if (field.facts.presence == Presence::kAlways) {
    object["required"].push_back(field.name);
  }
}

/// Adds the row's fields to an object's schema.
template <Described Row>
void addRow(ordered_json& object) {
  for (const FieldFacts& field : kFields<Row>) {
    addField(object, field);
  }
}

/// Returns the schema of a row's object.
template <Described Row>
ordered_json rowSchema() {
  ordered_json object = {
      {"type", "object"}, {"properties", ordered_json::object()}, {"required", ordered_json::array()}};
  addRow<Row>(object);
  return object;
}

} // namespace commtap::schema
