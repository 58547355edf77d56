// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "report/job/job_report.h"
#include "tools/html/page_columns.h"

/// The facts of a run on every page, and the text of a page's data.
namespace commtap::page {

/// Returns the facts of the page's header.
nlohmann::json factsOf(const JobReport& job);

/// Returns the table of processes. Times are in ns since 1970.
nlohmann::json processesOf(const JobReport& job, Strings& strings);

/// Returns the names of the phases or kinds, by number.
nlohmann::json phaseNames();
nlohmann::json kindNames();

/// Returns the document as ASCII JSON that is safe in a <script> element.
std::string documentText(const nlohmann::json& document);

} // namespace commtap::page
