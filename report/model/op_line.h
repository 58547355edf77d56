// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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
  std::string_view name; ///< "namespace::op"; with * at the end a pattern
  Kind kind = Kind::kOther;
  PayloadRule payload = PayloadRule::kArgument;
  std::string_view payload_argument; ///< name in the op's schema; empty: the first tensor, if there is a payload
};

namespace op_line {

inline constexpr std::string_view kBlanks = " \t\r";

/// Returns the first word of `line` and removes it, with the blanks before and after it.
inline std::string_view takeWord(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  return word;
}

inline bool takeSuffix(std::string_view& word, std::string_view suffix) {
  const bool has_suffix = word.ends_with(suffix);
  word.remove_suffix(has_suffix ? suffix.size() : 0);
  return has_suffix;
}

inline bool isName(std::string_view word, std::string_view also = "") {
  return !word.empty() && std::all_of(word.begin(), word.end(), [also](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also.find(c) != std::string_view::npos;
  });
}

/// Returns whether a word is "namespace::op", or ends in * after a prefix of it that has the namespace.
inline bool isOp(std::string_view word) {
  const bool is_pattern = takeSuffix(word, "*");
  const size_t colons = std::min(word.find("::"), word.size());
  const std::string_view op = word.substr(std::min(colons + 2, word.size()));
  return isName(word.substr(0, colons)) && colons < word.size() && (isName(op, ".") || (is_pattern && op.empty()));
}

} // namespace op_line

struct ParsedOp {
  OpSpec op;              ///< its texts refer to the line
  std::string_view fault; ///< what is wrong with the line; "" if nothing is
};

/// Parses "OP [KIND [ARGUMENT]]", the words separated by blanks. OP is namespace::name, or ends in * after a prefix of
/// it. ARGUMENT is the name of a tensor argument, `name*group` for a rank's share of the payload, or `name@B` for the
/// product of two matrices. Without it the first tensor counts, and without KIND the op is of kind other. A barrier has
/// none.
inline ParsedOp parseOpLine(std::string_view line) {
  ParsedOp parsed;
  OpSpec& op = parsed.op;
  op.name = op_line::takeWord(line);
  const std::string_view kind = op_line::takeWord(line);
  std::string_view argument = op_line::takeWord(line);
  const std::optional<Kind> known = kind.empty() ? Kind::kOther : kindFromName(kind);
  if (!op_line::isOp(op.name)) {
    parsed.fault = "an op is namespace::name, or ends in * after a prefix of it";
  } else if (!known) {
    parsed.fault = "its second word is not a kind, such as all_reduce";
  } else if (!line.empty()) {
    parsed.fault = "it has more than three words";
  } else if (*known == Kind::kBarrier && !argument.empty()) {
    parsed.fault = "a barrier has no payload";
  }
  op.kind = known.value_or(Kind::kOther);
  if (op.kind == Kind::kBarrier) {
    op.payload = PayloadRule::kNone;
  } else if (op_line::takeSuffix(argument, "*group")) {
    op.payload = PayloadRule::kArgumentTimesGroup;
  } else if (op_line::takeSuffix(argument, "@B")) {
    op.payload = PayloadRule::kMatrixProduct;
  }
  op.payload_argument = argument;
  const bool may_lack_name = op.payload == PayloadRule::kArgument || op.payload == PayloadRule::kNone;
  if (parsed.fault.empty() && !op_line::isName(argument) && !(argument.empty() && may_lack_name)) {
    parsed.fault = "its third word is not an argument, such as tensor, tensor*group or A@B";
  }
  return parsed;
}

/// Calls visit(line) with each line of a text that is neither empty nor a comment. Lines end at a comma or a line feed;
/// a comment begins with # and ends with the line feed. Blanks around a line are left out.
template <typename Visit>
void forEachOpLine(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t begin = std::min(text.find_first_not_of(op_line::kBlanks), text.size());
    const size_t end = std::min(text.find_first_of(",\n#", begin), text.size());
    if (const std::string_view line = text.substr(begin, end - begin); !line.empty()) {
      visit(line.substr(0, line.find_last_not_of(op_line::kBlanks) + 1));
    }
    const bool is_comment = text.substr(end, 1) == "#";
    const size_t last = is_comment ? std::min(text.find('\n', end), text.size()) : end;
    text.remove_prefix(std::min(last + 1, text.size()));
  }
}

} // namespace commtap
