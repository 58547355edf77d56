// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/process_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "report/model/saturating.h"
#include "report/runs/report_paths.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

bool isPreferred(const ProcessFile& a, const ProcessFile& b) {
  const auto key = [](const ProcessFile& file) {
    return std::tuple(
        file.is_ledger,
        !file.job->ended_at_ns.has_value(),
        UINT64_MAX - file.calls,
        std::count(file.path.begin(), file.path.end(), '/'),
        std::string_view(file.path));
  };
  return key(a) < key(b);
}

bool isLedgerNextToReport(const ProcessFile& file, const ProcessFile& counted) {
  return file.is_ledger && !counted.is_ledger &&
         fs::path(file.path).parent_path() == fs::path(counted.path).parent_path();
}

} // namespace

uint64_t callsOf(const Report& report) {
  uint64_t calls = 0;
  for (const Collective& row : report.collectives) {
    addSaturating(calls, row.count);
  }
  return calls;
}

std::vector<size_t> oneFilePerProcess(const std::vector<ProcessFile>& files, std::vector<std::string>& copies) {
  std::map<ProcessKey, size_t> chosen;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto [entry, is_new] = chosen.emplace(processKeyOf(*files[i].job), i);
    if (!is_new && isPreferred(files[i], files[entry->second])) {
      entry->second = i;
    }
  }
  std::vector<size_t> counted;
  for (size_t i = 0; i < files.size(); ++i) {
    const size_t best = chosen.at(processKeyOf(*files[i].job));
    if (best == i) {
      counted.push_back(i);
    } else if (!isLedgerNextToReport(files[i], files[best])) {
      copies.push_back(files[i].path + " holds the same process as " + files[best].path + ", which is counted");
    }
  }
  return counted;
}

} // namespace commtap
