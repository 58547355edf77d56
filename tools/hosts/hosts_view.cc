// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/hosts_view.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "report/base/process.h"
#include "report/runs/report_paths.h"
#include "tools/hosts/report_archive.h"

namespace commtap {

std::string HostsBudget::read(const GetTarget& target, const HttpLimits& limits, const BodySink& sink) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now());
  if (left.count() <= 0) {
    return fmt::format("not asked, for all hosts together took {} s", time_.count());
  }
  HttpLimits mine = limits;
  mine.answer = std::min(mine.answer, left);
  return readPage(target, mine, [&](std::string_view piece) {
    taken_ += piece.size();
    return taken_ > bytes_ ? fmt::format("all hosts together answer with more than {} MiB", bytes_ >> 20U)
                           : sink(piece);
  });
}

namespace {

/// Bounds of one look at all hosts, whose answers stay in memory.
constexpr std::chrono::seconds kDocumentsTime(60);
constexpr uint64_t kDocumentBytes = uint64_t{16} << 20U; ///< of one host; a rank's part has some 30 KiB
constexpr uint64_t kDocumentsBytes = uint64_t{512} << 20U;
/// Bounds of the reports of all hosts, which go to the disk.
constexpr std::chrono::minutes kArchivesTime(10);
constexpr uint64_t kArchivesBytes = uint64_t{16} << 30U;

std::string missing(const HostPort& host, const std::string& reason) {
  return fmt::format("{}: {}; its ranks are missing here", host.text(), reason);
}

} // namespace

Result<HostDocument>
HostsView::answerOf(size_t place, const HostQuestion& question, HostsBudget& budget, FastReportReader& reader) const {
  HttpLimits limits = limits_;
  limits.bytes = std::min(limits.bytes, kDocumentBytes);
  std::string text;
  const std::string problem = budget.read(targetOf(hosts_[place], addressOf(question)), limits, [&](auto piece) {
    text += piece;
    return std::string();
  });
  Result<HostDocument> document =
      problem.empty() ? hostDocumentFrom(text, reader) : Result<HostDocument>::failure(problem);
  return document ? std::move(document) : Result<HostDocument>::failure(missing(hosts_[place], document.error()));
}

HostsView::Seen HostsView::ask(const HostQuestion& question) {
  std::vector<std::optional<Result<HostDocument>>> answers(hosts_.size());
  HostsBudget budget(kDocumentsTime, kDocumentsBytes);
  forEachHost<FastReportReader>(hosts_.size(), [&](FastReportReader& reader, size_t place) {
    answers[place] = answerOf(place, question, budget, reader);
  });
  Seen seen;
  places_.clear();
  for (size_t place = 0; place < hosts_.size(); ++place) {
    Result<HostDocument>& answer = *answers[place];
    if (answer) {
      add(*answer, place, seen);
    } else {
      seen.look.problems.push_back(answer.error());
      seen.look.has_all_hosts = false;
    }
  }
  seen.look.at_ns = wallClockNs();
  return seen;
}

void HostsView::add(HostDocument& document, size_t place, Seen& seen) {
  seen.traffic.add(document.traffic);
  for (const std::string& problem : document.look.problems) {
    seen.look.problems.push_back(document.host + ": " + problem);
  }
  for (SeenProcess& process : document.look.processes) {
    if (places_.emplace(processKeyOf(process.report->job), place).second) {
      seen.look.processes.push_back(std::move(process));
    }
  }
}

std::set<size_t> HostsView::placesOf(const std::vector<int64_t>& ranks, const JobLook& look) const {
  std::set<size_t> places;
  for (const SeenProcess& process : look.processes) {
    const Job& job = process.report->job;
    const auto place = places_.find(processKeyOf(job));
    if (job.rank && std::find(ranks.begin(), ranks.end(), *job.rank) != ranks.end() && place != places_.end()) {
      places.insert(place->second);
    }
  }
  return places;
}

bool HostsView::addRows(const std::vector<int64_t>& ranks, JobLook& look) const {
  HostQuestion question;
  question.last = 0;
  question.rows_of.assign(
      ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(std::min(ranks.size(), HostQuestion::kMostRows)));
  std::map<ProcessKey, std::vector<Collective>> rows;
  FastReportReader reader;
  HostsBudget budget(kDocumentsTime, kDocumentsBytes);
  for (const size_t place : placesOf(question.rows_of, look)) {
    const Result<HostDocument> document = answerOf(place, question, budget, reader);
    if (!document) {
      look.problems.push_back(document.error());
      continue;
    }
    for (const SeenProcess& process : document->look.processes) {
      rows.emplace(processKeyOf(process.report->job), process.report->collectives);
    }
  }
  bool has_rows = false;
  for (SeenProcess& process : look.processes) {
    const auto found = rows.find(processKeyOf(process.report->job));
    if (found != rows.end() && !found->second.empty()) {
      auto report = std::make_shared<Report>(*process.report);
      report->collectives = std::move(found->second);
      process.report = std::move(report);
      has_rows = true;
    }
  }
  return has_rows;
}

std::vector<std::string> HostsView::names() const {
  std::vector<std::string> names;
  std::transform(
      hosts_.begin(), hosts_.end(), std::back_inserter(names), [](const HostPort& host) { return host.text(); });
  return names;
}

std::string HostsView::folderOf(const std::string& folder, size_t host) {
  return fmt::format("{}/host{}", folder, host);
}

std::vector<std::string> HostsView::download(const std::string& folder) const {
  struct Nothing {};
  std::vector<std::string> problems(hosts_.size());
  HostsBudget budget(kArchivesTime, kArchivesBytes);
  forEachHost<Nothing>(hosts_.size(), [&](Nothing&, size_t place) {
    ArchiveReader archive(folderOf(folder, place));
    std::string problem = budget.read(
        targetOf(hosts_[place], kArchivePath), limits_, [&archive](auto piece) { return archive.add(piece); });
    problem = problem.empty() ? archive.finish() : problem;
    problems[place] = problem.empty() ? "" : missing(hosts_[place], problem);
  });
  std::erase(problems, "");
  return problems;
}

} // namespace commtap
