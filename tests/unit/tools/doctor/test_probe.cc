// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/probe.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr const char* kLibrary = "/c/libcommtap.so";

/// Returns a probe with this output, as of a process that ended well.
Probe probeThatSaid(const std::string& out, const std::string& err = "") {
  Probe probe;
  probe.outcome.out = out;
  probe.outcome.err = err;
  readProbeOutput(probe, kLibrary);
  return probe;
}

constexpr const char* kGood =
    "banner\n"
    "commtap-doctor preload /a.so:/c/libcommtap.so\n"
    "commtap-doctor loaded /c/libcommtap.so\n"
    "commtap-doctor loaded /c/trackers/libcommtap-tracker-2.13.so\n"
    "commtap-doctor imported 2.13.0+cpu\n";

/// Returns a report of one collective of a module.
Report probeReport(const std::string& module) {
  Report report = sampleReport(0);
  report.collectives.resize(1);
  report.collectives[0].module = module;
  report.not_seen.clear();
  return report;
}

TEST_CASE("a process with the library and a tracker is good") {
  const Probe probe = probeThatSaid(kGood);
  CHECK(probe.loaded.size() == 2);
  CHECK(checkPreload(probe, kLibrary).health == Health::kOk);
}

TEST_CASE("each way in which the preload does not arrive has its own line") {
  Probe late = probeThatSaid("");
  late.outcome.timed_out = true;
  CHECK(has(checkPreload(late, kLibrary).found, "took longer than"));
  CHECK(has(checkPreload(probeThatSaid("", "sh: not found\n"), kLibrary).found, "did not start Python: sh: not found"));
  CHECK(has(checkPreload(probeThatSaid("commtap-doctor preload \n"), kLibrary).found, "LD_PRELOAD does not reach"));
  const std::string there = "commtap-doctor preload /c/libcommtap.so\n";
  CHECK(
      checkPreload(probeThatSaid(there, "Traceback\nImportError: libx.so\n"), kLibrary).found ==
      "torch cannot be imported: ImportError: libx.so");
  const std::string imported = there + "commtap-doctor imported 2.13.0\n";
  CHECK(
      checkPreload(probeThatSaid(imported, "ERROR: ld.so: object cannot be preloaded: ignored.\n"), kLibrary).found ==
      "the dynamic linker did not load /c/libcommtap.so; ERROR: ld.so: object cannot be preloaded: ignored.");
  const Diagnosis refused = checkPreload(
      probeThatSaid(imported + "commtap-doctor loaded /c/libcommtap.so\n", "x\n[commtap pid 7] warning: torch 2.99\n"),
      kLibrary);
  CHECK(refused.health == Health::kError);
  CHECK(refused.found == "commtap is in the process and loads no tracker; [commtap pid 7] warning: torch 2.99");
}

TEST_CASE("the report must have the collective of the module") {
  Probe probe = probeThatSaid(kGood);
  CHECK(checkReport(probe).health == Health::kError);
  CHECK(checkReport(probe).found == "no report came");
  probe.report = probeReport("DoctorProbe");
  CHECK(checkReport(probe).health == Health::kOk);
  probe.report = probeReport("Global");
  CHECK(checkReport(probe).health == Health::kWarning);
  CHECK(has(checkReport(probe).found, "belongs to Global"));
  probe.report->collectives.clear();
  CHECK(checkReport(probe).health == Health::kError);
}

TEST_CASE("what was not seen and what was said are warnings") {
  Probe probe = probeThatSaid(kGood, "[commtap pid 7] warning: the disk is full\n");
  probe.report = probeReport("DoctorProbe");
  CHECK(has(checkReport(probe).found, "the disk is full"));
  CHECK(checkReport(probe).health == Health::kWarning);
  probe.report->not_seen = {{"untimed", 1, "gloo", "meaning"}};
  CHECK(checkReport(probe).found == "the report has untimed in not_seen (gloo)");
}

TEST_CASE("a process that fails after the import is an error with its last line") {
  Probe probe = probeThatSaid(kGood, "RuntimeError: no gloo\n");
  probe.outcome.wait_status = 256;
  CHECK(checkReport(probe).found == "the process failed before its report: RuntimeError: no gloo");
}

TEST_CASE("runProbe gives the process a folder of its own, reads the report in it and removes it") {
  const TempFolder folder;
  Report report = probeReport("DoctorProbe");
  writeText(folder / "sample", reportToJson(report));
  writeText(
      folder / "python3",
      "#!/bin/sh\nmkdir -p $COMMTAP_OUT && cp " + (folder / "sample") + " $COMMTAP_OUT/rank.json\n" +
          "echo \"commtap-doctor preload $LD_PRELOAD\"; echo \"commtap-doctor imported "
          "$RANK$COMMTAP_LOG$COMMTAP_OUTT$COMMTAP_LEVEL\"\n");
  chmod((folder / "python3").c_str(), 0755);
  const std::string temporary = "TMPDIR=" + folder.path();
  const char* const variables[] = {
      "PATH=/usr/bin:/bin", "RANK=3", "COMMTAP_OUTT=x", "COMMTAP_LEVEL=ops", "LD_PRELOAD=", temporary.c_str(), nullptr};
  const Probe probe = runProbe({folder / "python3"}, Environment(variables), kLibrary);
  CHECK(probe.has_imported);
  CHECK_FALSE(probe.has_variable);
  CHECK(has(probe.outcome.out, "imported ops\n"));
  REQUIRE(probe.report);
  CHECK(probe.report->collectives.at(0).module == "DoctorProbe");
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"python3", "sample"});
}

} // namespace
} // namespace commtap
