// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "report/json/fields.h"
#include "report/json/nccl_columns.h"
#include "report/json/process_columns.h"
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

template <typename Cursor>
Nccl ncclFrom(const Cursor& cursor, const ReadScope& scope) {
  return {
      .version = cursor.textOrEmpty(field::kVersion),
      .communicators = rowsFrom<NcclCommunicator>(cursor, field::kCommunicators, scope),
      .calls = rowsFrom<NcclCall>(cursor, field::kCalls, scope),
      .open =
          cursor.has(field::kOpen) ? rowsFrom<NcclOpenCall>(cursor, field::kOpen, scope) : std::vector<NcclOpenCall>()};
}

/// Reads the newest of the last collectives, which come last.
template <typename Cursor>
std::vector<LastCollective> lastFrom(const Cursor& table, const ReadScope& scope) {
  const auto read = [&scope](const Cursor& item) { return rowFrom<LastCollective>(item, scope); };
  return table.template lastItems<LastCollective>(scope.most_last, read);
}

template <typename Cursor>
Report reportFrom(const Cursor& root, const ReadScope& scope) {
  Report report;
  const auto readTable = [&]<typename Row>(const char* name, std::vector<Row>& rows) {
    rows = rowsFrom<Row>(root, name, scope);
  };
  const auto readIfAny = [&]<typename Row>(const char* name, std::vector<Row>& rows) {
    if (root.has(name)) {
      rows = rowsFrom<Row>(root, name, scope);
    }
  };
  report.job = jobFrom(root);
  checkRanks(root);
  readTable(field::kGroups, report.groups);
  readTable(field::kModules, report.modules);
  readTable(field::kCollectives, report.collectives);
  readIfAny(field::kMembers, report.members);
  if (root.has(field::kOperations)) {
    readTable(field::kOperations, report.operations.emplace());
  }
  readIfAny(field::kSteps, report.steps);
  if (root.has(field::kLast)) {
    report.last = lastFrom(root.at(field::kLast), scope);
  }
  if (root.has(field::kNccl)) {
    report.nccl = ncclFrom(root.at(field::kNccl), scope);
  }
  readIfAny(field::kCudaGraphs, report.cuda_graphs);
  if (root.has(field::kOwnCost)) {
    report.own_cost = rowFrom<OwnCost>(root.at(field::kOwnCost), scope);
  }
  readTable(field::kNotSeen, report.not_seen);
  return report;
}

} // namespace commtap
