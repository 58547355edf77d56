// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/model/vocabulary.h"

namespace commtap {

/// The source of an op's payload, the S of nccl-tests.
enum class PayloadRule : uint8_t {
  kArgument,           ///< the bytes of one tensor (list) argument
  kArgumentTimesGroup, ///< the bytes times the group's size: the argument is one rank's share
  kMatrixProduct,      ///< the bytes of the product of the argument and the argument "B", which the op computes
  kNone,               ///< no payload
};

struct OpSpec {
  std::string_view name; ///< "namespace::op"
  Kind kind;
  PayloadRule payload;
  std::string_view payload_argument; ///< name in the op's schema; empty: the first tensor, if there is a payload
};

/// Returns nullptr for an op that is not in the table.
const OpSpec* findOpSpec(std::string_view name);
const OpSpec* firstOpSpec();
const OpSpec* endOfOpSpecs();

/// Returns true for a namespace of torch in which every op is a collective, except those of isNoCollective(). In other
/// libraries' namespaces only the ops in the table are collectives.
bool isCollectiveNamespace(std::string_view name);

/// Returns true for an op of those namespaces that moves no data between ranks, or only calls counted ops.
bool isNoCollective(std::string_view name);

/// Returns Python's form, "namespace.op", of "namespace::op".
std::string dottedName(std::string_view name);

/// Returns true if `pattern` is the op, "namespace::op", or ends in * after a prefix of it.
bool matchesOpPattern(std::string_view name, std::string_view pattern);

} // namespace commtap
