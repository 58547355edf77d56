// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/report_head.h"

#include "report/base/text_file.h"
#include "report/json/fields.h"
#include "report/json/report_json.h"

namespace commtap {
namespace {

constexpr int kHeadLines = 3; ///< the brace, `schema` and `job`, as reportToJson() writes them

/// Returns the end of line kHeadLines.
size_t endOfHead(std::string_view start) {
  size_t end = 0;
  for (int i = 0; i < kHeadLines && end != std::string_view::npos; ++i) {
    end = start.find('\n', i == 0 ? 0 : end + 1);
  }
  return end;
}

/// Returns the start of an input, with the first kHeadLines lines unless they are longer than any report's.
Result<std::string> firstLines(const std::string& path) {
  constexpr size_t kUsual = 8U << 10U;  // bytes
  constexpr size_t kMost = 256U << 10U; // command lines are truncated far below this
  Result<std::string> start = readStartOfInput(path, kUsual);
  const bool is_enough = !start || start->size() < kUsual || endOfHead(*start) != std::string_view::npos;
  return is_enough ? start : readStartOfInput(path, kMost);
}

/// Removes blanks and then `token` from the start of `text`. Returns false if `token` does not follow.
bool take(std::string_view& text, std::string_view token) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || !text.substr(start).starts_with(token)) {
    return false;
  }
  text.remove_prefix(start + token.size());
  return true;
}

} // namespace

Result<Job> jobOfReportHead(std::string_view start) {
  std::string head(start.substr(0, endOfHead(start))); // completed to a JSON document below
  if (const size_t end = head.find_last_not_of(" \t\r\n"); end != std::string::npos && head[end] == ',') {
    head[end] = '}';
  }
  return jobFromJson(head);
}

Result<Job> readReportHead(const std::string& path, uint64_t memory) {
  const Result<std::string> start = firstLines(path);
  if (!start) {
    return Result<Job>::failure(start.error());
  }
  if (Result<Job> job = jobOfReportHead(*start)) {
    return job;
  }
  const Result<std::string> text = readJsonInput(path, memory);
  if (!text) {
    return Result<Job>::failure(text.error());
  }
  Result<Job> job = jobFromJson(*text);
  return job ? job : Result<Job>::failure(path + ": " + job.error());
}

std::optional<std::string> schemaOf(std::string_view text) {
  const std::string name = std::string("\"") + field::kSchema + "\"";
  take(text, "\xef\xbb\xbf"); // a byte order mark, which JSON's readers pass over
  if (!take(text, "{") || !take(text, name) || !take(text, ":") || !take(text, "\"")) {
    return std::nullopt;
  }
  const size_t end = text.find('"');
  return end == std::string_view::npos ? std::nullopt : std::optional<std::string>(text.substr(0, end));
}

std::optional<std::string> schemaOfFile(const std::string& path) {
  constexpr size_t kEnough = 256; ///< bytes
  const Result<std::string> start = readStartOfInput(path, kEnough);
  return start ? schemaOf(*start) : std::nullopt;
}

bool isOtherDocument(const std::string& path) {
  const std::optional<std::string> schema = schemaOfFile(path);
  return schema && (schema->starts_with("commtap.") || schema->starts_with("commtap-"));
}

} // namespace commtap
