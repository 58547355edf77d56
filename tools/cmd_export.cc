// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cmd_export.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "report/folder.h"
#include "report/job_summary.h"
#include "tools/export_commdebug.h"
#include "tools/export_graphviz.h"
#include "tools/job_metrics.h"
#include "tools/output_file.h"
#include "tools/progress.h"
#include "tools/table_text.h"
#include "tools/verbs.h"

namespace commtap {
namespace {

constexpr const char* kFooter =
    "Formats:\n"
    "  openmetrics  for Prometheus, OpenMetrics 1.0; docs/metrics.md\n"
    "  prometheus   the same in the older text format that node_exporter's textfile collector reads\n"
    "  csv, jsonl   a flat table; docs/tables.md\n"
    "  commdebug    the JSON of PyTorch's CommDebugMode, of one rank: --rank, or the first\n"
    "  graphviz     the module tree with what each module communicates\n\n"
    "A file given with -o is there as a whole or not at all.\n\n"
    "Exit status: 0 done, 1 done without some files that could not be read, or no report found, or the output could\n"
    "not be written, 2 wrong usage, no such PATH or rank.\n\n"
    "Examples:\n"
    "  commtap export out --format openmetrics\n"
    "  commtap export out --format prometheus --host $(hostname) -o /var/lib/node_exporter/commtap.prom\n"
    "  commtap export out --format jsonl --table collectives -o collectives.jsonl\n"
    "  commtap export out --format graphviz --depth 3 | dot -Tsvg > modules.svg";

const std::vector<std::string> kFormats = {"openmetrics", "prometheus", "csv", "jsonl", "commdebug", "graphviz"};

struct ExportArguments {
  std::string path;
  std::string format;
  std::string output;
  std::string table = "collectives";
  std::string host;
  std::optional<uint32_t> rank;
  std::optional<uint32_t> attempt;
  std::optional<uint32_t> depth;
  size_t max_series = kDefaultMaxSeries;
};

using Files = std::vector<const ReportFile*>;

std::vector<const Report*> reportsOf(const Files& files) {
  std::vector<const Report*> reports;
  for (const ReportFile* file : files) {
    reports.push_back(&file->report);
  }
  return reports;
}

void writeMetrics(const ReportFolder& folder, const Files& files, const ExportArguments& arguments, OutputFile& out) {
  SeriesLimit limit(arguments.max_series);
  Exposition exposition;
  const size_t folded = addJobMetrics(reportsOf(files), arguments.depth, limit, exposition);
  exposition.add(MetricId::kUnreadableFiles, "", static_cast<uint64_t>(folder.problems.size()));
  if (folded > 0) {
    say(fmt::format(
        "{} label sets are over the limit of {} a rank and were folded into \"(other)\": see --max-series, --depth",
        folded,
        arguments.max_series));
  }
  out.write(exposition.text(arguments.format == "openmetrics" ? Dialect::kOpenMetrics : Dialect::kPrometheus));
}

void writeTable(const Files& files, const ExportArguments& arguments, OutputFile& out) {
  const TableId table = *tableFromName(arguments.table);
  const bool csv = arguments.format == "csv";
  if (csv) {
    out.write(csvTitles(table));
  }
  for (const ReportFile* file : files) {
    forEachRow(
        table, file->report, [&](const Cells& cells) { out.write(csv ? csvRow(cells) : jsonRow(table, cells)); });
  }
}

void writeExport(const ReportFolder& folder, const Files& files, const ExportArguments& arguments, OutputFile& out) {
  if (arguments.format == "csv" || arguments.format == "jsonl") {
    writeTable(files, arguments, out);
  } else if (arguments.format == "commdebug") {
    out.write(commDebugJson(files.front()->report));
  } else if (arguments.format == "graphviz") {
    out.write(graphvizDot(totalsOf(reportsOf(files)), arguments.depth));
  } else {
    writeMetrics(folder, files, arguments, out);
  }
}

Files chosenFiles(const ReportFolder& folder, const ExportArguments& arguments) {
  Files files = selectFiles(folder, arguments.attempt, arguments.rank);
  if (!arguments.host.empty()) {
    std::erase_if(files, [&](const ReportFile* file) { return file->report.job.host != arguments.host; });
  }
  return files;
}

int exportReports(const ExportArguments& arguments) {
  if (access(arguments.path.c_str(), F_OK) != 0) {
    say(arguments.path + " does not exist: give a report, a ledger, or the folder that commtap wrote to");
    return kExitUsage;
  }
  const Result<ReportFolder> folder =
      withProgress([&](const Progress& progress) { return readReports(arguments.path, progress); });
  if (!folder) {
    say(folder.error());
    return kExitFindings;
  }
  const Files files = chosenFiles(*folder, arguments);
  if (files.empty()) {
    say(arguments.path + " has no report of that rank, attempt or host (see commtap show)");
    return kExitUsage;
  }
  OutputFile out(arguments.output);
  writeExport(*folder, files, arguments, out);
  const std::string error = out.finish();
  if (!error.empty()) {
    say(error);
  }
  sayAll(folder->problems);
  return error.empty() && folder->problems.empty() ? kExitOk : kExitFindings;
}

std::vector<std::string> tableNames() {
  std::vector<std::string> names;
  for (const TableRow& table : reportTables()) {
    names.emplace_back(table.name);
  }
  return names;
}

void addFilters(CLI::App& verb, ExportArguments& arguments) {
  verb.add_option("--rank", arguments.rank, "One rank alone")->type_name("N");
  verb.add_option("--attempt", arguments.attempt, "After restarts by torchrun: which attempt; else the last")
      ->type_name("N");
  verb.add_option("--host", arguments.host, "The processes of one host alone")->type_name("NAME");
  verb.add_option("--depth", arguments.depth, "Metrics, graphviz: the module tree down to this depth")->type_name("N");
  verb.add_option("--max-series", arguments.max_series, "Metrics: label sets a rank; default: 500")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
}

} // namespace

void addExport(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("export", "Write reports in the formats of other tools");
  setUsage(*verb, "commtap export --format FORMAT [OPTIONS] PATH");
  verb->footer(kFooter);
  auto arguments = std::make_shared<ExportArguments>();
  verb->add_option("PATH", arguments->path, "A report, a ledger, or a folder of them")->required()->type_name("");
  verb->add_option("--format", arguments->format, "See below")->required()->type_name("FORMAT")->check(oneOf(kFormats));
  verb->add_option("-o,--output", arguments->output, "Where to; else stdout")->type_name("FILE");
  verb->add_option("--table", arguments->table, "csv, jsonl: which table; default: collectives")
      ->type_name("NAME")
      ->check(oneOf(tableNames()));
  addFilters(*verb, *arguments);
  verb->callback([arguments, &exit_status] { exit_status = exportReports(*arguments); });
}

} // namespace commtap
