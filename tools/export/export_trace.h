// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "report/model/model.h"

namespace commtap {

/// Returns the steps and the last collectives of processes as Chrome trace events, which Perfetto reads
/// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Arguments have the names that
/// PyTorch's profiler uses (pytorch/kineto, libkineto/include/MetadataFieldCatalog.h). A trace process is a rank, a
/// trace thread is a process group. A collective without start and end times is an instant event at the time of its
/// call. `distributedInfo`, which names a single rank, is there only for a single report.
std::string chromeTrace(std::span<const Report* const> reports);

} // namespace commtap
