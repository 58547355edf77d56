// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/cmd_export.h"

#include <functional>

#include <fmt/format.h>

#include "tools/cli/output_file.h"
#include "tools/cli/progress.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/export/export_commdebug.h"
#include "tools/export/export_graphviz.h"
#include "tools/export/export_source.h"
#include "tools/export/export_trace.h"
#include "tools/metrics/job_metrics.h"
#include "tools/tables/table_text.h"

namespace commtap {
namespace {

constexpr const char* kAbout =
    "Formats:\n"
    "  openmetrics  for Prometheus, OpenMetrics 1.0; docs/metrics.md\n"
    "  prometheus   the same in the older text format that node_exporter's textfile collector reads\n"
    "  csv, jsonl   a flat table; docs/tables.md\n"
    "  commdebug    the JSON of PyTorch's CommDebugMode, of one rank: --rank, or the first\n"
    "  graphviz     the module tree with what each module communicates\n"
    "  perfetto     steps and the last collectives on a timeline, for ui.perfetto.dev; of one rank (--rank) also what\n"
    "               readers of PyTorch's profiler look for; docs/timing.md\n\n"
    "A file given with -o is there as a whole or not at all.";
constexpr const char* kExitStatus =
    "0 done, 1 done without some files that could not be read, or no report found, or the output could\n"
    "not be written, 2 wrong usage, no such PATH, run, attempt, rank or host.";

std::vector<std::string> formats() {
  return {"openmetrics", "prometheus", "csv", "jsonl", "commdebug", "graphviz", "perfetto"};
}

struct ExportArguments {
  std::string path;
  std::string format;
  std::string output;
  std::string table = "collectives";
  ExportSelection selection;
  std::optional<uint32_t> depth;
  size_t max_series = kDefaultMaxSeries;
};

/// What is exported, and where to.
struct Export {
  const ExportArguments& arguments;
  std::vector<FoundReport> found;
  std::vector<std::string> problems;
  OutputFile out;

  void forEach(const std::function<void(Report)>& visit) {
    withProgress([&](const Progress& progress) { readEach(found, progress, problems, visit); });
  }

  std::vector<Report> readAll() {
    std::vector<Report> reports;
    forEach([&reports](Report report) { reports.push_back(std::move(report)); });
    return reports;
  }
};

std::vector<const Report*> pointersTo(const std::vector<Report>& reports) {
  std::vector<const Report*> pointers;
  pointers.reserve(reports.size());
  for (const Report& report : reports) {
    pointers.push_back(&report);
  }
  return pointers;
}

void writeMetrics(Export& job) {
  const std::vector<Report> reports = job.readAll();
  SeriesLimit limit(job.arguments.max_series);
  Exposition exposition;
  const size_t folded = addJobMetrics(pointersTo(reports), job.arguments.depth, limit, exposition);
  exposition.add(MetricId::kUnreadableFiles, "", static_cast<uint64_t>(job.problems.size()));
  if (folded > 0) {
    say(fmt::format(
        "{} label sets are over the limit of {} a rank and were folded into \"(other)\": see --max-series, --depth",
        folded,
        job.arguments.max_series));
  }
  job.out.write(exposition.text(job.arguments.format == "openmetrics" ? Dialect::kOpenMetrics : Dialect::kPrometheus));
}

void writeTable(Export& job) {
  const TableId table = *tableFromName(job.arguments.table);
  const bool csv = job.arguments.format == "csv";
  if (csv) {
    job.out.write(csvTitles(table));
  }
  job.forEach([&](const Report& report) {
    forEachRow(table, report, [&](const Cells& cells) { job.out.write(csv ? csvRow(cells) : jsonRow(table, cells)); });
  });
}

void writeGraph(Export& job) {
  const std::vector<Report> reports = job.readAll();
  job.out.write(graphvizDot(totalsOf(pointersTo(reports)), job.arguments.depth));
}

void writeTrace(Export& job) {
  const std::vector<Report> reports = job.readAll();
  job.out.write(chromeTrace(pointersTo(reports)));
}

/// Of one process: that is what CommDebugMode knows.
void writeCommDebug(Export& job) {
  job.found.resize(1);
  job.forEach([&job](const Report& report) { job.out.write(commDebugJson(report)); });
}

void write(Export& job) {
  const std::string& format = job.arguments.format;
  if (format == "csv" || format == "jsonl") {
    writeTable(job);
  } else if (format == "commdebug") {
    writeCommDebug(job);
  } else if (format == "graphviz") {
    writeGraph(job);
  } else if (format == "perfetto") {
    writeTrace(job);
  } else {
    writeMetrics(job);
  }
}

int exportReports(const ExportArguments& arguments) {
  if (!isThere(arguments.path)) {
    return kExitUsage;
  }
  Result<ReportScan> scan =
      withProgress([&](const Progress& progress) { return scanReports(arguments.path, progress); });
  if (!scan) {
    say(scan.error());
    return kExitFindings;
  }
  Result<std::vector<FoundReport>> found = chosenReports(*scan, arguments.selection);
  if (!found) {
    say(arguments.path + ": " + found.error());
    return kExitUsage;
  }
  Export job{arguments, std::move(*found), std::move(scan->problems), OutputFile(arguments.output)};
  write(job);
  const std::string error = job.out.finish();
  if (!error.empty()) {
    say(error);
  }
  sayAll(job.problems);
  return error.empty() && job.problems.empty() ? kExitOk : kExitFindings;
}

std::vector<std::string> tableNames() {
  std::vector<std::string> names;
  for (const TableRow& table : reportTables()) {
    names.emplace_back(table.name);
  }
  return names;
}

void addFilters(CLI::App& verb, ExportArguments& arguments) {
  addSelection(verb, arguments.selection.job);
  verb.add_flag("--all", arguments.selection.all, "Every run and attempt in the folder");
  verb.add_option("--rank", arguments.selection.rank, "One rank alone")->type_name("N");
  verb.add_option("--host", arguments.selection.host, "The processes of one host alone")->type_name("NAME");
  verb.add_option("--depth", arguments.depth, "Metrics, graphviz: the module tree down to this depth")->type_name("N");
  verb.add_option("--max-series", arguments.max_series, "Metrics: label sets a rank; default: 500")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
}

} // namespace

void addExport(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("export", "Write reports in the formats of other tools");
  describe(
      *verb,
      {.usage = "commtap export --format FORMAT [OPTIONS] PATH",
       .about = kAbout,
       .exit_status = kExitStatus,
       .examples = {
           "commtap export out --format openmetrics",
           "commtap export out --format prometheus --host $(hostname) -o /var/lib/node_exporter/commtap.prom",
           "commtap export runs --all --format jsonl --table collectives -o collectives.jsonl",
           "commtap export out --format graphviz --depth 3 | dot -Tsvg > modules.svg",
           "commtap export out --format perfetto -o trace.json",
       }});
  auto arguments = std::make_shared<ExportArguments>();
  verb->add_option("PATH", arguments->path, "A report, a ledger, or a folder of them")->required()->type_name("");
  verb->add_option("--format", arguments->format, "See below")
      ->required()
      ->type_name("FORMAT")
      ->check(oneOf(formats()));
  verb->add_option("-o,--output", arguments->output, "Where to; else stdout")->type_name("FILE");
  verb->add_option("--table", arguments->table, "csv, jsonl: which table; default: collectives")
      ->type_name("NAME")
      ->check(oneOf(tableNames()));
  addFilters(*verb, *arguments);
  verb->callback([arguments, &exit_status] { exit_status = exportReports(*arguments); });
}

} // namespace commtap
