// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "report/model/model.h"

namespace commtap {

/// The training steps and the last collectives of processes on a timeline: Chrome's trace events
/// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), which Perfetto reads, with the
/// names that PyTorch's profiler gives arguments of collectives and the process (pytorch/kineto,
/// libkineto/include/MetadataFieldCatalog.h). A process is a rank, a thread a process group. A collective of which it
/// is not known when it ran is an instant at which it was issued. `distributedInfo` names one rank: it is there for one
/// report alone.
std::string chromeTrace(std::span<const Report* const> reports);

} // namespace commtap
