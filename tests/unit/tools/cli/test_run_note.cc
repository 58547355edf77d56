// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/run_note.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("notes are read as they were written, the newest first, and other files are left out") {
  const TempFolder folder;
  RunNote note{
      .run_id = "a/b",
      .name = "wide",
      .argv = {"torchrun", "x.py"},
      .started_at_ns = 5,
      .ended_at_ns = 7,
      .exit_status = 1};
  CHECK(writeRunNote(folder / "new/out", note).empty());
  note.run_id = "later";
  note.started_at_ns = 6;
  note.exit_status.reset();
  note.exit_signal = 9;
  note.has_report = true;
  note.missed = 2;
  note.first_missed = "pid 7, python";
  CHECK(writeRunNote(folder.path(), note).empty());
  writeText(folder / "x.note", "{");
  writeText(folder / "y.note", R"({"schema": "other", "argv": 5})");
  writeText(
      folder / "z.note",
      R"({"schema": "commtap.note/1", "argv": 5, "run_id": 5, "exit_status": 1e300, "missed": true})");
  const std::vector<RunNote> notes = runNotes(folder.path());
  REQUIRE(notes.size() == 3);
  CHECK(notes[0].run_id == "later");
  CHECK(notes[0].exit_signal == 9);
  CHECK_FALSE(notes[0].exit_status);
  CHECK(notes[0].has_report);
  CHECK(notes[0].missed == 2);
  CHECK(notes[0].first_missed == "pid 7, python");
  CHECK_FALSE(notes[1].has_report);
  CHECK(notes[1].run_id == "a/b");
  CHECK(notes[1].name == "wide");
  CHECK(notes[1].argv == std::vector<std::string>{"torchrun", "x.py"});
  CHECK(notes[1].ended_at_ns == 7);
  CHECK(notes[1].exit_status == 1);
  CHECK(notes[1].bytes > 0);
  CHECK(notes[2].run_id.empty());
  CHECK_FALSE(notes[2].exit_status);
  CHECK(notes[2].missed == 0);
}

TEST_CASE("a note that cannot be written is one line, and its text says how the command ended") {
  CHECK_FALSE(writeRunNote("/proc/none", {.run_id = "a"}).empty());
  CHECK(
      noteText({.run_id = "a", .name = "b", .started_at_ns = 0, .exit_status = 3}) ==
      "run a (b), started 1970-01-01T00:00:00Z, ended with status 3 and left no report: its ranks may not have met "
      "(see "
      "its own output)");
  const std::string missed = noteText({.run_id = "a", .exit_status = 0, .missed = 2, .first_missed = "pid 7, python"});
  CHECK(has(missed, "ended with status 0 and left no report: 2: processes that loaded torch without commtap"));
  CHECK(noteText({.run_id = "a", .exit_signal = 15}).find("was ended by SIGTERM and left") != std::string::npos);
}

} // namespace
} // namespace commtap
