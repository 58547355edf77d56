// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/job/job_report.h"
#include "report/runs/report_scan.h"
#include "tools/cli/verb.h"
#include "tools/hosts/hosts_view.h"

namespace commtap {

/// The hosts that a command asks instead of reading folders.
struct HostArguments {
  bool slurm = false;
  std::string k8s; ///< name of a headless service; "" for none
  uint16_t port = kDefaultServePort;
  std::string token_file; ///< "" for none
};

/// The `paths` of hostsFor() for a command that takes at most one; "": none.
inline std::vector<std::string> pathsIn(const std::string& path) {
  return path.empty() ? std::vector<std::string>() : std::vector<std::string>{path};
}

/// Returns the argument of a command that reads a run here or on hosts.
Option hostsPath(std::string& path);
OptionTable hostOptions(HostArguments& arguments);

/// Returns the path; of none, the folder that jobs write to (saidDefaultFolder()), unless the options name hosts.
std::string orDefaultFolder(const HostArguments& arguments, const std::string& path);

/// Returns a view of the hosts that the options or `paths` name; nullopt if they name none, so that `paths` are of this
/// machine. Fails with a line for the user if they cannot be understood, or if nothing is named.
Result<std::optional<HostsView>> hostsFor(const HostArguments& arguments, const std::vector<std::string>& paths);

/// Reads the job at a verb's PATH, or of hosts, whose downloaded files are deleted afterwards. On failure ends the
/// verb, as readJobInput().
JobReport readJobFrom(const std::optional<HostsView>& hosts, const std::string& path, const JobSelection& selection);

} // namespace commtap
