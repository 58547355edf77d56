// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/job/job_report.h"
#include "tools/show/show_view.h"
#include "tools/text/color.h"

namespace commtap {

/// What c10d was asked for beside what NCCL was called with for it, and the calls to NCCL that come from elsewhere; on
/// all ranks together. One line if NCCL was not called.
std::string ncclText(const ShowView& view, const Color& color);

/// The same of a job; "" if NCCL was not called.
std::string ncclText(const JobReport& job, const Color& color);

} // namespace commtap
