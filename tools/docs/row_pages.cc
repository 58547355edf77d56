// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/docs/row_pages.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/advice/advice.h"
#include "report/json/columns.h"
#include "report/json/report_tables.h"
#include "report/model/not_seen.h"
#include "tools/docs/row_schema.h"
#include "tools/tables/report_tables.h"
#include "tools/tables/run_table.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;
using schema::rowSchema;

/// Replaces the schema's definitions of rows. Their descriptions stay.
template <typename... Rows>
void replaceRows(ordered_json& definitions) {
  const auto replace = [&definitions](const char* name, const ordered_json& row) {
    ordered_json definition = ordered_json::object();
    if (definitions[name].contains("description")) {
      definition["description"] = definitions[name]["description"];
    }
    definition.update(row);
    definitions[name] = std::move(definition);
  };
  (replace(schema::kDefinition<Rows>, rowSchema<Rows>()), ...);
}

template <typename Enum>
void replaceNames(ordered_json& definitions, const char* name) {
  definitions[name] = {{"description", EnumNames<Enum>::kHelp}, {"enum", schema::namesOf<Enum>()}};
}

/// Returns the row type of a table, or the type of an object.
template <typename Value>
struct RowOf {
  using Type = Value;
};
template <typename Row>
struct RowOf<std::vector<Row>> {
  using Type = Row;
};
template <typename Value>
struct RowOf<std::optional<Value>> : RowOf<Value> {};

/// Calls visit(table, row) with each table of a document and a row of it.
template <typename Document, typename Visit>
void forEachTableRow(const Visit& visit) {
  forEachTable<Document>([&visit](const auto& table) {
    using Value = std::remove_cvref_t<decltype(std::declval<Document>().*table.member)>;
    visit(table, typename RowOf<Value>::Type());
  });
}

/// Returns the help of a table, with the names of the row's key.
template <Described Row>
std::string tableHelp(std::string help) {
  constexpr std::string_view kKey = "{key}";
  if (const size_t place = help.find(kKey); place != std::string::npos) {
    help.replace(place, kKey.size(), fmt::format("({})", fmt::join(keyNames<Row>(), ", ")));
  }
  return help;
}

/// Replaces what an object's schema says of the document's tables, and the definitions of their rows. `required`: the
/// names of its other fields that a document must have.
template <typename Document>
void replaceTables(ordered_json& object, ordered_json& definitions, ordered_json required) {
  forEachTableRow<Document>([&]<typename Row>(const auto& table, const Row&) {
    ordered_json& property = object["properties"][table.name];
    if constexpr (Described<Row>) {
      property["description"] = tableHelp<Row>(table.help);
      if (property.size() == 1) {
        property.update(schema::listOf(schema::refTo(schema::kDefinition<Row>)));
      }
      replaceRows<Row>(definitions);
    } else {
      property["description"] = table.help;
    }
    if (!mayBeNull(table)) {
      required.push_back(table.name);
    }
  });
  object["required"] = std::move(required);
}

void replaceReportRows(ordered_json& document) {
  ordered_json& definitions = document["$defs"];
  replaceTables<Report>(document, definitions, {field::kSchema, field::kJob});
  replaceTables<Nccl>(definitions[field::kNccl], definitions, {field::kVersion});
  replaceRows<Job, Parameter, Durations, StalledIn, Imbalance, Splits, StepAmount, GraphCollective, GraphNcclCall>(
      definitions);
}

/// Replaces rows of a schema that is closed: it has no kinds or phases of collectives, so a reader knows all its
/// fields.
template <typename... Rows>
void replaceClosedRows(ordered_json& document) {
  ordered_json& definitions = document["$defs"];
  replaceRows<Rows...>(definitions);
  ((definitions[schema::kDefinition<Rows>]["additionalProperties"] = false), ...);
}

/// Replaces rows that have kinds or phases, or none.
template <typename... Rows>
void replaceOpenRows(ordered_json& document) {
  replaceRows<Rows...>(document["$defs"]);
}

/// Adds a module's `id` and `parent`. They are positions, not members of the row.
void addPositions(ordered_json& module) {
  ordered_json properties = {
      {"id", {{"description", "The position in `modules`."}, {"type", "integer"}, {"minimum", 0}}},
      {"parent",
       {{"description", "The id of the parent module; null for `Global`."},
        {"type", {"integer", "null"}},
        {"minimum", 0}}}};
  properties.update(module["properties"]);
  module["properties"] = std::move(properties);
  ordered_json required = {"id", "parent"};
  required.insert(required.end(), module["required"].begin(), module["required"].end());
  module["required"] = std::move(required);
}

void replaceJobRows(ordered_json& document) {
  ordered_json& definitions = document["$defs"];
  document["properties"][field::kCollectives]["description"] = tableHelp<JobCollective>("One row per distinct {key}.");
  replaceRows<
      JobReport,
      JobTotal,
      JobGroup,
      JobModule,
      JobCollective,
      JobRowTime,
      Member,
      JobStep,
      JobStepAmount,
      TimeTotals,
      Straggler,
      ExposedCauses,
      JobProcess,
      JobNcclVersion,
      JobNcclCall,
      NotSeenSummary>(definitions);
  addPositions(definitions[schema::kDefinition<JobModule>]);
}

/// Returns the table of the values of an enumeration.
template <typename Enum>
std::string valueTable(const char* field, const char* meaning) {
  std::string table = fmt::format("| {} | {} |\n|---|---|\n", field, meaning);
  for (const NamedValue& value : EnumNames<Enum>::kValues) {
    table += fmt::format("| `{}` | {} |\n", value.name, value.meaning);
  }
  return table;
}

std::string fieldTableOf(std::span<const schema::FieldFacts> fields) {
  std::string table = "| field | type | meaning |\n|---|---|---|\n";
  for (const schema::FieldFacts& field : fields) {
    table += fmt::format(
        "| `{}` | {}{} | {} |\n",
        field.name,
        field.type,
        field.is_nullable ? " or null" : "",
        schema::helpOf(*field.help == '\0' ? field.type_help : field.help, field.facts.presence));
  }
  return table;
}

template <Described Row>
std::string fieldTable() {
  return fieldTableOf(schema::kFields<Row>);
}

/// Returns the table of all rules of `commtap advise`.
std::string adviceRuleTable() {
  std::string table = "| rule | holds if |\n|---|---|\n";
  for (const AdviceRuleRow& row : adviceRules()) {
    table += fmt::format("| `{}` | {} |\n", row.name, row.condition);
  }
  return table;
}

/// Returns the table of all reasons of `not_seen`.
std::string reasonTable() {
  std::string table = "| `reason` | what is counted |\n|---|---|\n";
  for (int i = 0; i < kNotSeenCount; ++i) {
    const auto reason = static_cast<NotSeen>(i);
    table += fmt::format("| `{}` | {} |\n", notSeenName(reason), notSeenMeaning(reason));
  }
  return table;
}

using FieldTables = std::map<std::string, std::function<std::string()>, std::less<>>;

template <typename Document>
void addFieldTables(FieldTables& tables, const std::string& prefix) {
  forEachTableRow<Document>([&]<typename Row>(const auto& table, const Row&) {
    if constexpr (Described<Row>) {
      tables.emplace(prefix + table.name, fieldTable<Row>);
    }
  });
}

/// Returns the tables of fields by the names of the report's tables.
const FieldTables& fieldTables() {
  static const FieldTables kAll = [] {
    FieldTables tables = {
        {"advice_rules", adviceRuleTable},
        {"doctor", [] { return valueTable<DoctorCheck>("check", "what is checked"); }},
        {"doctor_checks", fieldTable<Diagnosis>},
        {"hang_reasons", [] { return valueTable<HangReason>("`reason`", "meaning"); }},
        {"job", fieldTable<Job>},
        {"parameters", fieldTable<Parameter>},
        {"reasons", reasonTable},
        {"layout_parts", fieldTable<LayoutPart>},
        {"listed_runs", fieldTable<ListedRun>},
        {"pruned", fieldTable<PruneReport>},
        {"top", fieldTable<TopReport>},
        {"verdict", fieldTable<Verdict>},
        {"verification", fieldTable<Verification>},
        {"verify_classes", [] { return valueTable<VerifyClass>("`class`", "meaning"); }},
        {"verify_findings", fieldTable<VerifyFinding>},
        {"layout_comparison", fieldTable<LayoutComparison>},
        {"layout_findings", fieldTable<LayoutFinding>},
        {"collectives.splits", fieldTable<Splits>},
        {"collectives.stalled_in", fieldTable<StalledIn>},
        {"steps.collectives", fieldTable<StepAmount>},
    };
    addFieldTables<Report>(tables, "");
    addFieldTables<Nccl>(tables, "nccl.");
    return tables;
  }();
  return kAll;
}

constexpr std::string_view kBegin = "<!-- fields: ";
constexpr std::string_view kBeginEnd = " -->\n";
constexpr std::string_view kEnd = "<!-- end of fields -->";

} // namespace

Result<std::string> schemaWithRows(const std::string& schema) {
  static const std::map<std::string, void (*)(ordered_json&), std::less<>> kReplace = {
      {"commtap-2", replaceReportRows},
      {"commtap-doctor-1", replaceOpenRows<DoctorReport, Diagnosis>},
      {"commtap-job-2", replaceJobRows},
      {"commtap-list-1", replaceOpenRows<RunList, ListedRun>},
      {"commtap-prune-1", replaceOpenRows<PruneReport, PrunePlan, PrunedRun>},
      {"commtap-sweep-1", replaceOpenRows<Sweep, SweptLayout, LayoutPart>},
      {"commtap-top-1", replaceOpenRows<TopReport, LateRank, Rate>},
      {"commtap-verify-1", replaceClosedRows<Verification, VerifyFinding, VerifyRanks>},
      {"commtap-verify-like-1", replaceClosedRows<LayoutComparison, LayoutFinding>},
      {"commtap-why-1", replaceOpenRows<Verdict, HangCall, HangRank, HangCount, HangDivergence, HangEnd, HangStack>},
  };
  ordered_json document = ordered_json::parse(schema, nullptr, /*allow_exceptions=*/false);
  const bool is_schema = document.is_object() && document.contains("$id") && document.contains("$defs");
  const std::string id = is_schema ? document["$id"].get<std::string>() : "";
  const auto replace = kReplace.find(std::string_view(id).substr(0, id.find(".schema.json")));
  if (replace == kReplace.end()) {
    return Result<std::string>::failure("not the schema of a document that is described by columns");
  }
  replace->second(document);
  ordered_json& definitions = document["$defs"];
  if (definitions.contains("phase")) {
    replaceNames<Phase>(definitions, "phase");
    replaceNames<Kind>(definitions, "kind");
  }
  return document.dump(2) + "\n";
}

Result<std::string> pageWithFields(const std::string& page) {
  std::string made;
  size_t from = 0;
  for (size_t begin = page.find(kBegin); begin != std::string::npos; begin = page.find(kBegin, from)) {
    const size_t name = begin + kBegin.size();
    const size_t name_end = page.find(kBeginEnd, name);
    const size_t end = page.find(kEnd, name);
    if (name_end == std::string::npos || end == std::string::npos || name_end > end) {
      return Result<std::string>::failure("a table of fields has no end");
    }
    const auto table = fieldTables().find(std::string_view(page).substr(name, name_end - name));
    if (table == fieldTables().end()) {
      return Result<std::string>::failure("no table " + page.substr(name, name_end - name));
    }
    made += page.substr(from, name_end + kBeginEnd.size() - from) + table->second();
    from = end;
  }
  return made + page.substr(from);
}

namespace {

constexpr std::string_view kTablesIntroduction = R"(# Tables

<!-- Made from tools/tables/report_tables.cc, run_table.cc and report/json/*_columns.h by `./dev docs`. -->

`commtap export --format csv|jsonl --table NAME` writes one flat table of reports, `--all-tables FOLDER` a file per table
in one pass over the reports; with `--format parquet`, a file per table and run. [Queries](analytics.md) over them are for
DuckDB, Spark and ClickHouse. In CSV null is empty and a list's items are separated by spaces; JSON lines are pure ASCII.
Columns may be added at a table's end; none is renamed or removed.

Every table but `runs` starts with the columns that name the process:

)";

void addColumns(const std::vector<TableColumn>& columns, std::string& page) {
  page += "| column | type | meaning |\n|---|---|---|\n";
  for (const TableColumn& column : columns) {
    page += fmt::format("| `{}` | {} | {} |\n", column.name, column.type, column.help);
  }
}

} // namespace

std::string tablesPage() {
  std::string page(kTablesIntroduction);
  addColumns(processKeyColumns(), page);
  for (const TableRow& table : reportTables()) {
    page += fmt::format("\n## `{}`\n\n{}\n\n", table.name, table.help);
    addColumns(table.columns, page);
  }
  page += fmt::format("\n## `{}`\n\n{}\n\n", RunTable::kName, RunTable::kHelp);
  addColumns(RunTable::columns(), page);
  return page;
}

} // namespace commtap
