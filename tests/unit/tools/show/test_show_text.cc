// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_text.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"
#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

TEST_CASE("the page has the tree with inclusive and own numbers, kinds and groups") {
  const SampleRun folder = sampleFolder();
  const std::string text = showText(viewOf(folder, {}), Color::none());
  for (const char* part :
       {"sum over 2 of 4 ranks: 0, 2\nno report of ranks 1, 3\n",
        "\n  DistributedDataParallel  forward              2  all_gather      4  4.00 KiB\n",
        "\n                           backward                all_reduce      2     640 B          2      640 B\n",
        "\n    net1                   forward              2  all_gather      4  4.00 KiB          4   4.00 KiB\n",
        "\nall               4         2      2      8",
        "\ndefault_pg  gloo        4  0-3 "}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

/// Returns the sample folder with broadcasts of two labels, and of none.
SampleRun labelledFolder() {
  SampleRun folder = sampleFolder();
  Report& report = folder.files[0].report;
  for (const char* label : {"weights", "val_metric"}) {
    report.collectives.push_back(rowOf(report, "Global", Kind::kBroadcast));
    report.collectives.back().label = label;
  }
  return folder;
}

TEST_CASE("own numbers have a line per label, and the column is absent without labels") {
  const std::string text = showText(viewOf(labelledFolder(), {}), Color::none());
  CHECK(has(text, "OWN without, by LABEL)\n"));
  CHECK(has(text, "broadcast       4     256 B          2      128 B\n"));
  CHECK(has(text, " 1       64 B  0      val_metric\n")); // which only rank 0 has
  CHECK(has(text, " 1       64 B  0      weights\n"));
  CHECK_FALSE(has(showText(viewOf(sampleFolder(), {}), Color::none()), "LABEL"));
}

TEST_CASE("own numbers in set-up have a line of their own, in any module") {
  SampleRun folder = sampleFolder();
  Report& report = folder.files[0].report;
  report.collectives.push_back(rowOf(report, "DistributedDataParallel", Kind::kAllReduce));
  report.collectives.back().setup = true;
  CHECK(has(showText(viewOf(folder, {}), Color::none()), "1      320 B  0      (set-up)\n"));
}

TEST_CASE("ranks are shown where not all have a module or its calls") {
  SampleRun folder = sampleFolder();
  CHECK_FALSE(has(showText(viewOf(folder, {}), Color::none()), "RANKS:"));
  rowOf(folder.files[1].report, "DistributedDataParallel", Kind::kAllReduce).module = "DistributedDataParallel.stage";
  const std::string text = showText(viewOf(folder, {}), Color::none());
  CHECK(has(text, "OWN BYTES  RANKS\n"));
  CHECK(has(text, " 1      320 B  0\n"));
  CHECK(has(text, " 1      320 B  2\n"));
  CHECK(has(text, "\nRANKS: of the line's own calls, else of the module; none where all ranks have it\n"));
}

TEST_CASE("one phase has no columns for the others") {
  const SampleRun folder = sampleFolder();
  ShowFilter filter;
  filter.phase = Phase::kBackward;
  const std::string text = showText(viewOf(folder, filter), Color::none());
  CHECK(text.find("phase backward only\n") != std::string::npos);
  CHECK(text.find("forward") == std::string::npos);
  CHECK(text.find("all_gather") == std::string::npos);
  CHECK(text.find("KIND        COUNT  BYTES  BUS BYTES\nall_reduce      2  640 B      960 B\n") != std::string::npos);
}

TEST_CASE("rows that a compiler merged are listed with the modules of their calls") {
  SampleRun folder = sampleFolder();
  for (SampleFile& file : folder.files) {
    const Collective& row = file.report.collectives[1];
    file.report.members = {{1, row.module, row.bytes, 3 * row.count}};
  }
  const std::string text = showText(viewOf(folder, {}), Color::none());
  const Collective& row = folder.files[0].report.collectives[1];
  CHECK(has(text, "Bucketed (COUNT calls that a compiler made"));
  CHECK(has(text, "\n" + row.module + "  "));
  CHECK(has(text, "\n  " + row.module + "  "));
  CHECK_FALSE(has(showText(viewOf(sampleFolder(), {}), Color::none()), "Bucketed"));
}

TEST_CASE("a sorted list has full names and says what is not shown") {
  const SampleRun folder = sampleFolder();
  const std::string text = showText(viewOf(folder, {.top = 1}), Color::none());
  CHECK(has(text, "(COUNT and BYTES with all modules below, OWN without; the most OWN BYTES first)\n"));
  CHECK(has(text, "\nDistributedDataParallel.net1  forward"));
  CHECK(has(text, "\nnot shown: 3 modules with smaller numbers (--top)\n"));
  CHECK(has(showText(viewOf(folder, {.sort = SortBy::kCalls}), Color::none()), "; the most MODULE CALLS first)"));
}

TEST_CASE("numbers per training step are the sums divided by the steps") {
  SampleRun folder = sampleFolder();
  folder.files[0].report.steps.clear();
  folder.files[1].report.steps.clear();
  CHECK(has(showText(viewOf(folder, {.per_step = true}), Color::none()), "the job has no steps\n"));
  folder.files[0].report.steps = {{0, 4, 1, 2, 1, 1, {}}};
  const std::string text = showText(viewOf(folder, {.per_step = true}), Color::none());
  CHECK(has(text, "OWN COUNT  OWN BYTES  COUNT PER STEP  BYTES PER STEP\n"));
  CHECK(has(text, "4   4.00 KiB               1        1.00 KiB\n"));
  CHECK(has(text, "PER STEP: the mean of 4 steps, without set-up\n"));
  folder.files[0].report.steps.push_back({4, 1, 2, std::nullopt, 1, 0, {}}); // has only begun, as at a plan's end
  CHECK(has(
      showText(viewOf(folder, {.per_step = true}), Color::none()), "PER STEP: the mean of 4 steps, without set-up\n"));
}

TEST_CASE("numbers per training step are without set-up, of all modules below") {
  SampleRun folder = sampleFolder();
  folder.files.resize(1);
  Report& report = folder.files[0].report;
  report.steps = {{0, 3, 1, 2, 1, 1, {}}};
  Collective& gather = rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather);
  gather.count = 6;
  gather.bytes = 6 * 1024;
  Collective before = gather;
  before.setup = true;
  before.count = 5;
  before.bytes = 5000;
  report.collectives.push_back(before);
  const std::string text = showText(viewOf(folder, {.per_step = true}), Color::none());
  CAPTURE(text);
  CHECK(has(text, "11  10.9 KiB          6   6.00 KiB               2        2.00 KiB"));
  CHECK(has(text, "all_gather     11  10.9 KiB                                     2        2.00 KiB"));
}

TEST_CASE("a phase does not limit the steps, and the text says so") {
  const SampleRun folder = sampleFolder();
  CHECK(
      has(showText(viewOf(folder, {.phase = Phase::kBackward, .steps = true}), Color::none()),
          "\nsteps count all phases\nBy step ("));
  CHECK_FALSE(has(showText(viewOf(folder, {.steps = true}), Color::none()), "all phases"));
}

TEST_CASE("hostile names do nothing to the terminal") {
  SampleRun folder = sampleFolder();
  Report& report = folder.files[0].report;
  report.modules[3].name = report.collectives[2].module = "DistributedDataParallel.\x1b[2J\n";
  report.groups[0].desc = "\x1b]0;x\x07";
  report.job.run_id = "\x9b";
  const std::string text = showText(viewOf(folder, {}), Color::none());
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
  CHECK(text.find('\x9b') == std::string::npos);
  CHECK(text.find("\\x1b[2J\\x0a") != std::string::npos);
}

} // namespace
} // namespace commtap
