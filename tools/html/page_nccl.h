// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "report/job/job_report.h"
#include "tools/html/page_columns.h"

namespace commtap::page {

/// Returns the page data of the job's NCCL calls; null if there are none.
nlohmann::json ncclOf(const JobReport& job, Strings& strings);

} // namespace commtap::page
