// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/model/op_line.h"

namespace commtap {

/// Returns the op of torch, of a line of COMMTAP_OPS that names its kind, or of library_ops.txt; nullptr for any other.
const OpSpec* findOpSpec(std::string_view name);
/// Returns the ops of torch and of library_ops.txt, in the order of their names.
std::vector<OpSpec> knownOps();

/// Sets the lines of COMMTAP_OPS. Lines with a fault are left out: parseOptions() has warned of them.
void setUserOps(const std::vector<std::string>& lines);
/// Returns true for an op that a line of COMMTAP_OPS names, with a kind or without.
bool isUserOp(std::string_view name);

/// Returns true for a namespace of torch in which every op is a collective, except those of isNoCollective(). In other
/// libraries' namespaces only the ops that findOpSpec() knows are collectives.
bool isCollectiveNamespace(std::string_view name);

/// Returns true for an op of those namespaces that moves no data between ranks, or only calls counted ops.
bool isNoCollective(std::string_view name);

/// Returns Python's form, "namespace.op", of "namespace::op".
std::string dottedName(std::string_view name);

/// Returns true if `pattern` is the op, "namespace::op", or ends in * after a prefix of it.
bool matchesOpPattern(std::string_view name, std::string_view pattern);

} // namespace commtap
