// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "report/json/fields.h"
#include "report/json/nccl_columns.h"
#include "report/json/process_columns.h"
#include "report/json/report_tables.h"
#include "report/json/row_columns.h"
#include "report/json/row_read.h"
#include "report/model/model.h"

namespace commtap {

// The tables of a report's document, read at a JsonCursor or a DomCursor. Throws as readRow() does.

/// How much of a report is read.
struct ReadScope {
  bool details = true;         ///< the columns of format Details
  size_t most_last = SIZE_MAX; ///< how many of the newest last collectives
};

template <typename Cursor, Described Row>
void readField(const Cursor& cursor, std::vector<Row>& rows, Details, const ReadScope& scope) {
  if (scope.details) {
    readField(cursor, rows, AsItIs(), scope);
  }
}

template <typename Cursor>
Job jobFrom(const Cursor& root) {
  Job job = rowFrom<Job>(root.at(field::kJob));
  if (!hasValidRank(job)) {
    throw std::runtime_error(
        "report.job.rank is " + std::to_string(*job.rank) + ", but report.job.world_size is " +
        std::to_string(*job.world_size));
  }
  return job;
}

/// Refuses a document with more ranks than any job before they take memory.
template <typename Cursor>
void checkRanks(const Cursor& root) {
  size_t ranks = 0;
  root.template list<int>(field::kGroups, [&ranks](const Cursor& group) {
    if (group.has(field::kRanks)) {
      addRanks(group.at(field::kRanks), ranks);
    }
    return 0;
  });
}

template <typename Cursor, typename Document>
void readTables(const Cursor& cursor, Document& document, const ReadScope& scope);

template <typename Cursor, typename Value>
void readTable(const Cursor& table, Value& value, const ReadScope& scope) {
  readField(table, value, AsItIs(), scope);
}
/// Reads the newest of the last collectives, which come last.
template <typename Cursor>
void readTable(const Cursor& table, std::vector<LastCollective>& last, const ReadScope& scope) {
  const auto read = [&scope](const Cursor& item) { return rowFrom<LastCollective>(item, scope); };
  last = table.template lastItems<LastCollective>(scope.most_last, read);
}
template <typename Cursor>
void readTable(const Cursor& table, std::optional<Nccl>& nccl, const ReadScope& scope) {
  nccl.emplace().version = table.textOrEmpty(field::kVersion);
  readTables(table, *nccl, scope);
}

/// Reads what kTables describes.
template <typename Cursor, typename Document>
void readTables(const Cursor& cursor, Document& document, const ReadScope& scope) {
  forEachTable<Document>([&cursor, &document, &scope](const auto& table) {
    if (!mayBeNull(table) || cursor.has(table.name)) {
      readTable(cursor.at(table.name), document.*table.member, scope);
    }
  });
}

template <typename Cursor>
Report reportFrom(const Cursor& root, const ReadScope& scope) {
  Report report;
  report.job = jobFrom(root);
  checkRanks(root);
  readTables(root, report, scope);
  return report;
}

} // namespace commtap
