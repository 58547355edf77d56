// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/timestamp.h"
#include "report/job/job_report.h"
#include "report/job/job_report_json.h"
#include "report/merge/job_merge.h"
#include "report/runs/ledger_recovery.h"
#include "tools/cli/job_input.h"
#include "tools/cli/output_file.h"
#include "tools/cli/run_note.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/export/export_formats.h"
#include "tools/hosts/host_arguments.h"
#include "tools/metrics/rank_metrics.h"

namespace commtap {
namespace {

constexpr const char* kExportAbout =
    "Formats:\n"
    "  openmetrics  metrics in OpenMetrics 1.0, for Prometheus; commtap help metrics\n"
    "  prometheus   metrics in Prometheus's older text format, for node_exporter's textfile collector\n"
    "  csv, jsonl   a flat table (--table), or all of them (--all-tables); commtap help tables\n"
    "  parquet      all flat tables, a file per table and run, by a Python with pyarrow (--all-tables); a run that "
    "was\n"
    "               exported before is replaced\n"
    "  commdebug    JSON in the format of PyTorch's CommDebugMode, for one rank: --rank, or the first\n"
    "  perfetto     steps and the last collectives on a timeline, for ui.perfetto.dev; for one rank (--rank) with the\n"
    "               fields that readers of PyTorch's profiler traces expect; commtap help timing\n"
    "  job          the merged report of all ranks, as JSON, for other commands; commtap help ranks\n\n"
    "Without -o, the output goes to stdout. If stdout is a terminal, it goes to a file in the current folder instead:\n"
    "commtap.openmetrics, commtap.prom, commtap-TABLE.csv, commtap-TABLE.jsonl, commtap.commdebug.json,\n"
    "commtap.trace.json or commtap.job.json. A line on stderr names the file.\n\n"
    "Writes the file of -o, and each file of --all-tables, atomically.";
constexpr const char* kExportExitStatus =
    "0 done; 1 some files are unreadable, no report was found, or the output could not be written; 2\n"
    "wrong usage, or PATH, run, attempt, rank or host does not exist.";

struct ExportArguments {
  std::string path;
  HostArguments hosts;
  std::string format;
  std::string output;
  std::string table;      ///< "" for the table of collectives
  std::string all_tables; ///< the folder to write; "" for one table
  std::string python = ownPython();
  std::string since; ///< a duration; "" for all runs
  ExportSelection selection;
  std::optional<uint32_t> depth;
  std::optional<size_t> max_series;
};

std::string tableOf(const ExportArguments& arguments) {
  return arguments.table.empty() ? "collectives" : arguments.table;
}

std::set<std::string> setOf(std::vector<std::string> names) {
  return {names.begin(), names.end()};
}

/// The reports to export and the output.
struct Export {
  const ExportArguments& arguments;
  std::vector<FoundReport> found;
  std::vector<std::string> problems;    ///< files that cannot be read
  size_t unnamed;                       ///< foreign files without a line of their own
  std::vector<std::string> errors = {}; ///< files that cannot be written
  std::set<std::string> saturated = {}; ///< names of the sums that do not fit into 64 bits

  void forEach(const std::function<void(Report)>& visit) {
    withProgress([&](const Progress& progress) { readEach(found, progress, problems, visit); });
  }

  /// Notes which sums over the processes of `merge` do not fit into 64 bits.
  void noteSaturated(const JobReport& merged) {
    saturated.merge(setOf(saturatedSums(merged)));
  }

  void write(const std::string& text) {
    OutputFile out(arguments.output);
    out.write(text);
    if (std::string error = out.finish(); !error.empty()) {
      errors.push_back(std::move(error));
    }
  }
};

void writeMetrics(Export& job) {
  const size_t max_series = job.arguments.max_series.value_or(kDefaultMaxSeries);
  SeriesLimit limit(max_series);
  JobMetrics metrics(job.arguments.depth, limit);
  job.forEach([&metrics](const Report& report) { metrics.add(report); });
  Exposition exposition;
  const size_t folded = metrics.addTo(exposition);
  job.saturated = setOf(exposition.saturated());
  exposition.add(MetricId::kUnreadableFiles, "", static_cast<uint64_t>(job.problems.size() + job.unnamed));
  if (folded > 0) {
    say(fmt::format(
        "{} label sets exceed the limit of {} per rank and were folded into \"(other)\": see --max-series, --depth",
        folded,
        max_series));
  }
  job.write(exposition.text(job.arguments.format == "openmetrics" ? Dialect::kOpenMetrics : Dialect::kPrometheus));
}

void writeTables(Export& job) {
  const ExportArguments& arguments = job.arguments;
  TableFiles files(arguments.format == "csv" ? TableFormat::kCsv : TableFormat::kJsonLines);
  if (arguments.all_tables.empty()) {
    files.open(tableOf(arguments), arguments.output);
  } else if (std::string error = files.openAll(arguments.all_tables); !error.empty()) {
    job.errors.push_back(std::move(error));
    return;
  }
  job.forEach([&files](const Report& report) { files.add(report); });
  job.errors = files.finish();
}

void writeParquet(Export& job) {
  Result<ParquetFiles> files = ParquetFiles::start(job.arguments.python, job.arguments.all_tables);
  if (!files) {
    job.errors.push_back(files.error());
    return;
  }
  std::vector<FoundReport> all = std::move(job.found); // by run
  auto end = all.begin();
  for (size_t number = 0; end != all.end() && job.errors.empty(); ++number) {
    const auto begin = end;
    const std::string run_id = begin->job.run_id;
    end = std::find_if(begin, all.end(), [&run_id](const FoundReport& report) { return report.job.run_id != run_id; });
    job.found.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
    const std::string folder = files->folderFor(number);
    TableFiles tables(TableFormat::kJsonLines);
    if (std::string error = tables.openAll(folder); !error.empty()) {
      job.errors.push_back(std::move(error));
      break;
    }
    job.forEach([&tables](const Report& report) { tables.add(report); });
    job.errors = tables.finish();
    files->add(run_id, folder);
  }
  if (std::string error = files->finish(); !error.empty()) {
    job.errors.push_back(std::move(error));
  }
}

/// Writes the events of each process as its report is read.
void writeTrace(Export& job) {
  OutputFile out(job.arguments.output);
  ChromeTrace trace(job.found);
  job.forEach([&](const Report& report) {
    job.noteSaturated(mergedJob({&report}));
    out.write(trace.textOf(report));
  });
  out.write(trace.end());
  if (std::string error = out.finish(); !error.empty()) {
    job.errors.push_back(std::move(error));
  }
}

/// Writes only the first report: the format of CommDebugMode describes a single process.
void writeCommDebug(Export& job) {
  job.found.resize(1);
  job.forEach([&job](const Report& report) {
    job.noteSaturated(mergedJob({&report}));
    job.write(commDebugJson(report));
  });
}

/// What a format's documents are made of, and so which options have an effect.
enum class Content : uint8_t { kMetrics, kTables, kRuns, kProcess, kJob };

struct FormatRow {
  const char* name;
  const char* extension; ///< of the default file
  Content content;
  void (*write)(Export& job);
};

constexpr auto kFormats = std::to_array<FormatRow>({
    {.name = "openmetrics", .extension = ".openmetrics", .content = Content::kMetrics, .write = writeMetrics},
    {.name = "prometheus", .extension = ".prom", .content = Content::kMetrics, .write = writeMetrics},
    {.name = "csv", .extension = ".csv", .content = Content::kTables, .write = writeTables},
    {.name = "jsonl", .extension = ".jsonl", .content = Content::kTables, .write = writeTables},
    {.name = "parquet", .extension = ".parquet", .content = Content::kRuns, .write = writeParquet},
    {.name = "commdebug", .extension = ".commdebug.json", .content = Content::kProcess, .write = writeCommDebug},
    {.name = "perfetto", .extension = ".trace.json", .content = Content::kProcess, .write = writeTrace},
    {.name = "job", .extension = ".job.json", .content = Content::kJob, .write = nullptr},
});

/// Returns the row of a format that the command line has checked.
const FormatRow& formatOf(const ExportArguments& arguments) {
  return *std::find_if(
      kFormats.begin(), kFormats.end(), [&](const FormatRow& row) { return arguments.format == row.name; });
}

std::vector<std::string> formats() {
  std::vector<std::string> names;
  for (const FormatRow& format : kFormats) {
    names.emplace_back(format.name);
  }
  return names;
}

/// Returns "" if the format has one of these contents, else a line: "--depth needs --format openmetrics or prometheus".
std::string wrongFormat(const ExportArguments& arguments, const char* need, std::initializer_list<Content> contents) {
  const auto fits = [&](const FormatRow& row) {
    return std::find(contents.begin(), contents.end(), row.content) != contents.end();
  };
  if (fits(formatOf(arguments))) {
    return "";
  }
  std::vector<std::string> names;
  for (const FormatRow& row : kFormats) {
    if (fits(row)) {
      names.emplace_back(row.name);
    }
  }
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} --format {}{}{}", need, fmt::join(names, ", "), names.empty() ? "" : " or ", last);
}

/// Returns "" or one line about an option that a file of whole runs cannot follow.
std::string wrongParquet(const ExportArguments& arguments) {
  if (arguments.all_tables.empty()) {
    return "--format parquet needs --all-tables FOLDER";
  }
  if (!arguments.selection.all || arguments.selection.rank || !arguments.selection.host.empty()) {
    return "--format parquet replaces whole runs: it needs --all, and takes neither --rank nor --host";
  }
  if (!arguments.since.empty() && !parseDurationNs(arguments.since)) {
    return "--since " + arguments.since + " is no duration: write 90m, 24h or 7d";
  }
  return "";
}

/// Returns "" or one line about an option that would have no effect.
std::string wrongUsage(const ExportArguments& arguments) {
  if (formatOf(arguments).content == Content::kRuns) {
    return wrongParquet(arguments);
  }
  std::string wrong;
  if (arguments.selection.all || arguments.selection.rank || !arguments.selection.host.empty()) {
    wrong = wrongFormat(
        arguments, "--all, --rank and --host need", {Content::kMetrics, Content::kTables, Content::kProcess});
  }
  if (wrong.empty() && !arguments.since.empty()) {
    wrong = wrongFormat(arguments, "--since needs", {Content::kRuns});
  }
  if (wrong.empty() && !(arguments.table.empty() && arguments.all_tables.empty())) {
    wrong = wrongFormat(arguments, "--table and --all-tables need", {Content::kTables, Content::kRuns});
  }
  if (wrong.empty() && arguments.depth) {
    wrong = wrongFormat(arguments, "--depth needs", {Content::kMetrics});
  }
  if (wrong.empty() && arguments.max_series) {
    wrong = wrongFormat(arguments, "--max-series needs", {Content::kMetrics});
  }
  return wrong;
}

/// Returns the name of the file that a terminal gets instead of the document.
std::string defaultFile(const ExportArguments& arguments) {
  const FormatRow& format = formatOf(arguments);
  const std::string table = format.content == Content::kTables ? "-" + tableOf(arguments) : "";
  return "commtap" + table + format.extension;
}

/// Returns whether nothing says where to write, and stdout is a terminal, which a document would flood.
bool needsFile(const ExportArguments& arguments) {
  return arguments.output.empty() && arguments.all_tables.empty() && isatty(STDOUT_FILENO) == 1;
}

/// Drops the runs of which no file has changed within this time.
void dropUnchanged(uint64_t within_ns, std::vector<FoundReport>& found) {
  const auto since = std::filesystem::file_time_type::clock::now() - std::chrono::nanoseconds(within_ns);
  std::set<std::string> changed;
  for (const FoundReport& report : found) {
    std::error_code error;
    if (const auto at = std::filesystem::last_write_time(report.path, error); !error && at >= since) {
      changed.insert(report.job.run_id);
    }
  }
  std::erase_if(found, [&changed](const FoundReport& report) { return !changed.contains(report.job.run_id); });
}

/// Writes the merged report of a run, here or on hosts.
int exportJob(const ExportArguments& arguments, const std::optional<HostsView>& hosts) {
  const JobReport job = readJobFrom(hosts, arguments.path, arguments.selection.job);
  OutputFile out(arguments.output);
  out.write(jobReportToJson(job));
  const std::string error = out.finish();
  sayAll(job.copies);
  sayAll(job.problems);
  endIf(error, kExitFindings);
  return job.problems.empty() ? kExitOk : kExitFindings;
}

int exportReports(ExportArguments arguments) {
  const std::optional<HostsView> hosts = orEnd(hostsFor(arguments.hosts, pathsIn(arguments.path)));
  const bool is_job = formatOf(arguments).content == Content::kJob;
  endIf(wrongUsage(arguments));
  endIf(hosts && !is_job ? wrongFormat(arguments, "hosts need", {Content::kJob}) : "");
  const bool is_default_file = needsFile(arguments);
  if (is_default_file) {
    arguments.output = defaultFile(arguments);
  }
  if (is_job) {
    const int status = exportJob(arguments, hosts);
    if (is_default_file && status == kExitOk) {
      say("wrote " + arguments.output);
    }
    return status;
  }
  mustExist(arguments.path);
  mustHoldRanks(arguments.path);
  recoverOrphanedLedgers(arguments.path);
  ReportScan scan = orEnd(
      withProgress([&](const Progress& progress) { return scanReports(arguments.path, progress); }), kExitFindings);
  std::vector<FoundReport> found = orEnd(chosenReports(scan, arguments.selection), kExitUsage, arguments.path + ": ");
  sayAll(scan.copies);
  if (!arguments.since.empty()) {
    dropUnchanged(*parseDurationNs(arguments.since), found);
  }
  Export job{arguments, std::move(found), std::move(scan.problems), scan.unnamed};
  formatOf(arguments).write(job);
  if (is_default_file && job.errors.empty()) {
    say("wrote " + arguments.output);
  }
  sayAll(job.errors);
  for (const std::string& number : job.saturated) {
    job.problems.push_back(saturatedLine(arguments.path, number));
  }
  sayAll(job.problems);
  return job.errors.empty() && job.problems.empty() ? kExitOk : kExitFindings;
}

std::vector<std::string> tableNames() {
  std::vector<std::string> names;
  for (const ExportedTable& table : exportedTables()) {
    names.push_back(table.name);
  }
  return names;
}

/// Returns the options that say what is written, and where.
OptionTable outputOptions(ExportArguments& arguments) {
  return {
      {.names = "PATH",
       .help = "A report, a ledger, or a folder of both; for job also a merged report, or hosts: HOST:PORT,HOST:PORT",
       .to = &arguments.path},
      {.names = "--format",
       .value = "FORMAT",
       .help = "The output format; see below",
       .to = &arguments.format,
       .words = formats(),
       .required = true},
      {.names = "-o,--output",
       .value = "FILE",
       .help = "The file to write; - is stdout; default: stdout; see below",
       .to = &arguments.output},
      {.names = "--table",
       .value = "NAME",
       .help = "csv, jsonl: the table to export; default: collectives",
       .to = &arguments.table,
       .words = tableNames()},
      {.names = "--all-tables",
       .value = "FOLDER",
       .help = "csv, jsonl, parquet: write a file per table into this folder",
       .to = &arguments.all_tables,
       .excludes = {"--table", "--output"}},
      {.names = "--since",
       .value = "TIME",
       .help = "parquet: only runs whose reports changed within this time: 90m, 24h, 7d",
       .to = &arguments.since},
      {.names = "--python",
       .value = "PATH",
       .help = "parquet: a Python that has pyarrow; default: commtap's own, else python3",
       .to = &arguments.python}};
}

OptionTable filterOptions(ExportArguments& arguments) {
  return selectionOptions(arguments.selection.job) +
         OptionTable{
             {.names = "--all", .help = "Export every run and attempt in the folder", .to = &arguments.selection.all},
             {.names = "--rank", .value = "N", .help = "Export only this rank", .to = &arguments.selection.rank},
             {.names = "--host",
              .value = "NAME",
              .help = "Export only the processes of this host",
              .to = &arguments.selection.host},
             {.names = "--depth",
              .value = "N",
              .help = "Metrics: cut the module tree at this depth",
              .to = &arguments.depth},
             {.names = "--max-series",
              .value = "N",
              .help = "Metrics: maximum number of label sets per rank; default: 500",
              .to = &arguments.max_series,
              .least = 1}};
}

} // namespace

Verb exportVerb() {
  auto arguments = std::make_shared<ExportArguments>();
  return {
      .name = "export",
      .help = "Write reports in the formats of other tools",
      .usage = "commtap export --format FORMAT [OPTIONS] PATH",
      .about = kExportAbout,
      .exit_status = kExportExitStatus,
      .examples =
          {
              "commtap export out --format openmetrics",
              "commtap export out --format prometheus --host $(hostname) -o /var/lib/node_exporter/commtap.prom",
              "commtap export runs --all --format jsonl --table collectives -o collectives.jsonl",
              "commtap export out --format csv --all-tables tables",
              "commtap export runs --all --format parquet --all-tables lake --since 25h",
              "commtap export out --format perfetto -o trace.json",
              "commtap export out --format job -o job.json",
          },
      .options = outputOptions(*arguments) + hostOptions(arguments->hosts) + filterOptions(*arguments),
      .run = [arguments](const Given& /*given*/) { return exportReports(*arguments); }};
}

} // namespace commtap
