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
#include "report/json/nccl_columns.h"
#include "report/json/process_columns.h"
#include "report/json/row_columns.h"
#include "report/layouts/layout_columns.h"
#include "report/model/vocabulary.h"
#include "report/sweep/sweep_columns.h"
#include "report/verify/verification_columns.h"
#include "tools/doctor/diagnosis.h"
#include "tools/list/list_columns.h"
#include "tools/prune/prune_columns.h"
#include "tools/top/top_columns.h"

/// Generates the parts of the JSON Schemas that describe rows.
namespace commtap::schema {

using nlohmann::ordered_json;

/// The name of a row type's definition in its schema's `$defs`.
template <typename Row>
struct Definition {
  const char* name;
};
inline constexpr std::tuple kDefinitions = {
    Definition<Durations>{"durations"},
    Definition<Job>{"job"},
    Definition<Group>{"group"},
    Definition<Parameter>{"parameter"},
    Definition<Module>{"module"},
    Definition<StalledIn>{"stalled_in"},
    Definition<Imbalance>{"imbalance"},
    Definition<Splits>{"splits"},
    Definition<Collective>{"collective"},
    Definition<Member>{"member"},
    Definition<Operation>{"operation"},
    Definition<StepAmount>{"step_amount"},
    Definition<Step>{"step"},
    Definition<LastCollective>{"last_collective"},
    Definition<NcclCommunicator>{"nccl_communicator"},
    Definition<NcclCall>{"nccl_call"},
    Definition<EnteredCall>{"entered_call"},
    Definition<GraphCollective>{"graph_collective"},
    Definition<GraphNcclCall>{"graph_nccl_call"},
    Definition<CudaGraph>{"cuda_graph"},
    Definition<OwnCost>{"own_cost"},
    Definition<NotSeenEntry>{"not_seen_entry"},
    Definition<JobReport>{"job"},
    Definition<JobTotal>{"ranked_total"},
    Definition<JobGroup>{"group"},
    Definition<JobModule>{"module"},
    Definition<JobCollective>{"collective"},
    Definition<JobStepAmount>{"step_amount"},
    Definition<JobStep>{"step"},
    Definition<JobRowTime>{"row_time"},
    Definition<ExposedCauses>{"exposed_causes"},
    Definition<Straggler>{"straggler"},
    Definition<TimeTotals>{"times"},
    Definition<JobProcess>{"process"},
    Definition<JobNcclVersion>{"nccl_version"},
    Definition<JobNcclCall>{"nccl_call"},
    Definition<NotSeenSummary>{"not_seen_entry"},
    Definition<HangCall>{"call"},
    Definition<HangRank>{"rank"},
    Definition<HangCount>{"count"},
    Definition<HangDivergence>{"divergence"},
    Definition<HangEnd>{"end"},
    Definition<HangStack>{"stack"},
    Definition<Verdict>{"verdict"},
    Definition<ListedRun>{"run"},
    Definition<RunList>{"list"},
    Definition<Diagnosis>{"check"},
    Definition<DoctorReport>{"doctor"},
    Definition<PrunedRun>{"run"},
    Definition<PrunePlan>{"kept"},
    Definition<PruneReport>{"prune"},
    Definition<LayoutPart>{"part"},
    Definition<SweptLayout>{"layout"},
    Definition<Sweep>{"sweep"},
    Definition<Rate>{"rate"},
    Definition<LateRank>{"late_rank"},
    Definition<TopReport>{"top"},
    Definition<VerifyRanks>{"rank_set"},
    Definition<VerifyFinding>{"finding"},
    Definition<Verification>{"verification"},
    Definition<LayoutFinding>{"finding"},
    Definition<LayoutComparison>{"comparison"},
};
template <typename Row>
inline constexpr const char* kDefinition = std::get<Definition<Row>>(kDefinitions).name;

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
  } else if constexpr (std::is_same_v<Value, LayoutValues>) {
    return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
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
      (std::is_same_v<Item, std::string> && !std::is_same_v<Format, JsonObject>) || std::is_same_v<Format, RankList> ||
      std::is_same_v<Item, RankRanges>) {
    return "text";
  } else if constexpr (NamedEnum<Item> || std::is_same_v<Item, Timing>) {
    return "name";
  } else if constexpr (std::is_same_v<Item, bool> || std::is_same_v<Item, AsyncOp>) {
    return "true or false";
  } else if constexpr (std::integral<Item> || std::floating_point<Item>) {
    return "number";
  } else if constexpr (
      std::is_same_v<Item, Histogram> || std::is_same_v<Item, CallsByPhase> || std::is_same_v<Item, CollectiveTime> ||
      std::is_same_v<Item, LayoutValues> || std::is_same_v<Format, JsonObject> || Described<Item>) {
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
