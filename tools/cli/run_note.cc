// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/run_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include <nlohmann/json.hpp>

#include "report/base/atomic_file.h"
#include "report/base/redaction.h"
#include "report/base/text_file.h"
#include "report/base/timestamp.h"
#include "report/runs/report_paths.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using nlohmann::json;

constexpr std::string_view kEnding = ".note";
constexpr size_t kMaxBytes = size_t{64} * 1024;

/// Returns the value of a member; `other` if it is missing or of another type.
template <typename T>
T valueOf(const json& object, const char* name, T other) {
  const auto member = object.find(name);
  if (member == object.end()) {
    return other;
  }
  const bool fits = std::is_same_v<T, std::string> ? member->is_string()
                    : std::is_same_v<T, bool>      ? member->is_boolean()
                                                   : member->is_number_integer();
  return fits ? member->get<T>() : other;
}

std::optional<int64_t> numberIn(const json& object, const char* name) {
  constexpr int64_t kNone = -1;
  const int64_t number = valueOf(object, name, kNone);
  return number == kNone ? std::nullopt : std::optional(number);
}

std::optional<RunNote> noteIn(const std::string& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kMaxBytes) {
    return std::nullopt;
  }
  const Result<std::string> text = readTextFile(path);
  const json object = text ? json::parse(*text, nullptr, /*allow_exceptions=*/false) : json();
  if (!object.is_object() || valueOf(object, "schema", std::string()) != kNoteSchema) {
    return std::nullopt;
  }
  RunNote note;
  note.run_id = valueOf(object, "run_id", std::string());
  note.name = valueOf(object, "run_name", std::string());
  for (const json& word : object.value("argv", json::array())) {
    note.argv.push_back(word.is_string() ? word.get<std::string>() : "");
  }
  note.started_at_ns = valueOf(object, "started_at_ns", uint64_t{0});
  note.ended_at_ns = valueOf(object, "ended_at_ns", uint64_t{0});
  note.exit_status = numberIn(object, "exit_status");
  note.exit_signal = numberIn(object, "exit_signal");
  note.has_report = valueOf(object, "has_report", false);
  note.missed = valueOf(object, "not_preloaded", uint64_t{0});
  note.first_missed = valueOf(object, "first_not_preloaded", std::string());
  note.bytes = size;
  return note;
}

/// Returns the run id as part of a file's name.
std::string fileNameOf(const std::string& run_id) {
  std::string name = run_id;
  std::replace(name.begin(), name.end(), '/', '_');
  return "commtap-" + name + std::string(kEnding);
}

} // namespace

std::string writeRunNote(const std::string& folder, const RunNote& note) {
  json object = {
      {"schema", kNoteSchema},
      {"run_id", note.run_id},
      {"run_name", note.name},
      {"argv", note.argv},
      {"started_at_ns", note.started_at_ns},
      {"ended_at_ns", note.ended_at_ns},
      {"has_report", note.has_report},
      {"not_preloaded", note.missed},
      {"first_not_preloaded", note.first_missed}};
  if (note.exit_status) {
    object["exit_status"] = *note.exit_status;
  }
  if (note.exit_signal) {
    object["exit_signal"] = *note.exit_signal;
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string text = object.dump(1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace) + "\n";
  return writeFileAtomically(folder + "/" + fileNameOf(note.run_id), text);
}

std::vector<RunNote> runNotes(const std::string& path) {
  std::vector<RunNote> notes;
  std::vector<std::string> problems; // listed by the scan for reports
  const auto is_note = [](const std::string& file) { return file.ends_with(kEnding); };
  for (const std::string& file : filesBelow(path, is_note, problems)) {
    if (std::optional<RunNote> note = is_note(file) ? noteIn(file) : std::nullopt) {
      notes.push_back(std::move(*note));
    }
  }
  std::sort(
      notes.begin(), notes.end(), [](const RunNote& a, const RunNote& b) { return a.started_at_ns > b.started_at_ns; });
  return notes;
}

NotSeenSummary missedEntry(const RunNote& note) {
  return {
      {"not_preloaded",
       note.missed,
       note.first_missed,
       "processes that loaded torch without commtap, because they were started with another LD_PRELOAD, or none: what "
       "they communicated is not counted; add libcommtap.so to that LD_PRELOAD"},
      {}};
}

std::string noteText(const RunNote& note) {
  const std::string how = note.exit_signal ? "was ended by " + signalName(static_cast<int>(*note.exit_signal))
                                           : fmt::format("ended with status {}", note.exit_status.value_or(0));
  const std::string why = note.missed > 0 ? fmt::format("{}: {}", note.missed, missedEntry(note).entry.meaning)
                                          : "its ranks may not have met (see its own output)";
  return fmt::format(
      "run {}{}, started {}Z, {} and left no report: {}",
      inert(note.run_id),
      note.name.empty() ? "" : " (" + inert(note.name) + ")",
      formatSecond(note.started_at_ns),
      how,
      why);
}

namespace {

/// commtap/__main__.py sets it to sys.executable.
constexpr const char* kVariable = "COMMTAP_STARTED_BY";

std::string& storedPython() {
  static std::string python = "python3";
  return python;
}

} // namespace

void takeOwnPython() {
  const char* const python = std::getenv(kVariable);
  if (python != nullptr && *python != '\0') {
    storedPython() = python;
  }
  unsetenv(kVariable);
}

const std::string& ownPython() {
  return storedPython();
}

} // namespace commtap
