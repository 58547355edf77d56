// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/model/vocabulary.h"

namespace commtap {

/// How the payload S (nccl-tests) follows from an op's arguments.
enum class PayloadRule : uint8_t {
  kArgument,           ///< the bytes of one tensor (list) argument
  kArgumentTimesGroup, ///< those times the group's size: the argument is one rank's share
  kNone,               ///< no payload
};

struct OpSpec {
  std::string_view name; ///< "namespace::op"
  Kind kind;
  PayloadRule payload;
  std::string_view payload_argument; ///< its name in the op's schema
};

/// nullptr for an op that is not in the table.
const OpSpec* findOpSpec(std::string_view name);

/// True for the namespaces in which every op is taken for a collective unless isNoCollective says otherwise.
bool isCollectiveNamespace(std::string_view name);

/// True for the ops of those namespaces that move nothing between ranks, or only call others that are counted.
bool isNoCollective(std::string_view name);

/// "namespace.op", as Python says it, of "namespace::op".
std::string dottedName(std::string name);

/// `pattern` is "namespace::op", or ends in * for any rest.
bool matchesOpPattern(std::string_view name, std::string_view pattern);

} // namespace commtap
