// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/runs/folder.h"
#include "tests/unit/samples.h"

namespace commtap {

/// Returns the folder of a run that has the reports of ranks 0 and 2.
inline ReportFolder sampleFolder() {
  ReportFolder folder;
  folder.files = {{"out/rank-00000.json", false, sampleReport(0)}, {"out/rank-00002.json", false, sampleReport(2)}};
  return folder;
}

} // namespace commtap
