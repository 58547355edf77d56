// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/runs/output.h"

namespace commtap {

/// Turning the ledgers of processes that were killed into reports (exit: killed). Each function deletes a ledger once
/// its report is written. If several processes do it at once, each ledger is converted by one of them.

/// Converts the ledgers of dead processes below `folder`. Returns the paths of the reports made.
std::vector<std::string> recoverLedgers(const std::string& folder, std::vector<std::string>& problems);

/// Converts the ledgers of this user's dead processes of this host below the folder `path`: the first step of every
/// command that reads a folder. Ignores ledgers that it cannot convert; they can be read as they are.
void recoverOrphanedLedgers(const std::string& path);

/// Converts the ledgers that an ending process of the job may leave behind: those of its children and of processes of
/// its run, on its host, in `folder` itself and its attempts. Ignores ledgers that it cannot convert.
void recoverLedgersOfRun(const std::string& folder, const OutputIdentity& process);

} // namespace commtap
