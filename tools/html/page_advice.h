// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "report/job/job_report.h"

namespace commtap::page {

/// Returns a list with what `commtap advise` says of the job: `rule`, `text`, `link`, `group`, `stake`, `rows` (numbers
/// of rows of the page, the first of them) and `row_count`.
nlohmann::json adviceOf(const JobReport& job);

} // namespace commtap::page
