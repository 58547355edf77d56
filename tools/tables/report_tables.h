// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/model/model.h"

namespace commtap {

/// Flat tables of reports. Each begins with the columns that identify the process.
enum class TableId : uint8_t {
  kProcesses,
  kGroups,
  kModules,
  kCollectives,
  kNotSeen,
  kOperations,
  kSteps,
  kLast,
  kNcclCalls,
  kMembers,
  kStalls,
};
inline constexpr int kTableCount = 11;

struct TableColumn {
  std::string name;
  std::string type; ///< in SQL: BIGINT, DOUBLE, BOOLEAN, VARCHAR, BIGINT[], VARCHAR[]
  std::string help;
};

struct TableRow {
  TableId id = TableId::kProcesses;
  std::string name;
  std::string help;
  std::vector<TableColumn> columns; ///< without the columns that identify the process
};

/// Returns all tables, by TableId.
std::vector<TableRow> reportTables();

/// Returns the columns that identify the process.
std::vector<TableColumn> processKeyColumns();
/// Returns all columns of the table, in order.
std::vector<TableColumn> columnsOf(TableId table);

/// One JSON value per column: null, a boolean, a number, a string or an array of these.
using TableCells = std::vector<nlohmann::json>;

/// Calls `visit` with each row of a process's table.
void forEachRow(TableId table, const Report& report, const std::function<void(const TableCells&)>& visit);

} // namespace commtap
