// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/result.h"
#include "tools/cli/host_port.h"

namespace commtap {

inline constexpr uint16_t kDefaultServePort = 9464;

/// Returns whether `text` is meant as a list of hosts and not as a path: it names no file, and has "HOST:PORT" first.
bool isHostList(const std::string& text);

/// Parses "HOST:PORT,HOST:PORT"; removes repeated ones.
Result<std::vector<HostPort>> hostsFromList(std::string_view text);

/// Expands a node list of Slurm, such as "gpu[001-003,7],login": ranges keep their leading zeros.
/// Source of the syntax: the manual page of `scontrol show hostnames`. At most 65,536 nodes.
Result<std::vector<HostPort>> hostsFromNodeList(std::string_view text, uint16_t port);

/// Returns the addresses that the name system has for `name`, as for a headless service of Kubernetes.
/// Waits at most 5 s for it.
Result<std::vector<HostPort>> hostsFromName(const std::string& name, uint16_t port);

} // namespace commtap
