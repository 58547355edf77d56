// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

/// An installation, and a Python that answers as one with torch 2.13 but imports nothing.
class Examined {
 public:
  Examined() {
    put("c/lib/commtap/libcommtap.so", readText(COMMTAP_STUB));
    put("c/lib/commtap/trackers/libcommtap-tracker-2.13.so", "");
    put("torch/lib/libtorch_cpu.so", readText(COMMTAP_STUB));
    put("torch/version.py", "__version__ = '2.13.0+cpu'\n");
    put("python3",
        "#!/bin/sh\necho 'commtap-doctor {\"executable\": \"/p\", \"program\": \"/p\", \"version\": \"3.11.2\", "
        "\"implementation\": \"cpython\", \"gil\": true, \"torch\": \"" +
            (folder_ / "torch") + "\", \"nvidia\": []}'\n");
    chmod((folder_ / "python3").c_str(), 0755);
  }
  void put(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    writeText(folder_ / name, text);
  }
  std::map<std::string, Diagnosis> examine(const Words& command, Words variables = {}) const {
    variables.insert(
        variables.end(), {"PATH=" + folder_.path() + ":/usr/bin:/bin", "COMMTAP_OUT=" + (folder_ / "out")});
    std::vector<const char*> pointers;
    for (const std::string& variable : variables) {
      pointers.push_back(variable.c_str());
    }
    pointers.push_back(nullptr);
    std::map<std::string, Diagnosis> by_name;
    for (const Diagnosis& diagnosis :
         commtap::examine(command, pointers.data(), folder_ / "c/bin", [](size_t, size_t) {})) {
      by_name.emplace(EnumNames<DoctorCheck>::name(diagnosis.check), diagnosis);
    }
    return by_name;
  }

 private:
  TempFolder folder_;
};

TEST_CASE("without a command python3 is examined, and each check has a line") {
  const auto found = Examined().examine({});
  CHECK(found.size() == EnumNames<DoctorCheck>::kCount);
  CHECK(found.at("python").found == "/p is cpython 3.11.2");
  CHECK(found.at("torch").health == Health::kOk);
  CHECK(found.at("tracker").health == Health::kOk);
  CHECK(found.at("python part").health == Health::kWarning);
  CHECK(found.at("preload").health == Health::kError); // it imports nothing
  CHECK(found.at("report").health == Health::kError);
}

TEST_CASE("without a tracker for this torch nothing is said of the Python part") {
  Examined examined;
  examined.put("torch/version.py", "__version__ = '2.12.0'\n");
  const auto found = examined.examine({});
  CHECK(has(found.at("tracker").found, "no tracker for torch 2.12 is installed"));
  CHECK(has(found.at("tracker").found, "only: 2.13"));
  CHECK(found.count("python part") == 0);
}

TEST_CASE("a torch of unknown version has no tracker to look for") {
  Examined examined;
  examined.put("torch/version.py", "__version__ = compute()\n");
  const auto found = examined.examine({});
  CHECK(has(found.at("torch").found, "the version of the torch in "));
  CHECK(found.at("torch").health == Health::kError);
  CHECK(found.count("tracker") == 0);
  CHECK(found.count("preload") == 0);
}

TEST_CASE("the command of commtap run is examined") {
  const auto found = Examined().examine({"/x/commtap", "run", "--out", "o", "--", "nothing-there", "x.py"});
  CHECK(found.at("command").found == "nothing-there is not a program on the PATH");
  CHECK(found.count("python") == 0);
}

TEST_CASE("with COMMTAP=0 no process is started under commtap") {
  const auto found = Examined().examine({}, {"COMMTAP=0"});
  CHECK(found.at("options").health == Health::kError);
  CHECK(found.count("preload") == 0);
}

TEST_CASE("a script that is not Python makes doctor assume the PATH's") {
  const auto found = Examined().examine({"ldd"});
  CHECK(found.at("python").health == Health::kWarning);
  CHECK(has(found.at("python").found, "which doctor assumes"));
}

TEST_CASE("what is not known of the job's Python is a warning") {
  Examined examined;
  examined.put("python3", "#!/bin/sh\necho no answer >&2; exit 1\n");
  for (const Words& command : std::vector<Words>{{"ldd"}, {"sh", "-c", "/v/bin/python x.py"}, {"python3", "/"}}) {
    const auto found = examined.examine(command);
    CHECK(found.at("python").health == Health::kWarning);
    CHECK(has(found.at("python").found, "but what the job loads is not known"));
    CHECK(has(found.at("python").todo, "commtap run -- COMMAND"));
  }
  CHECK(examined.examine({"python3", "x.py"}).at("python").health == Health::kError);
  const TempFolder folder;
  writeText(folder / "app", "#!/usr/bin/env python3\nPK\x05\x06 and a comment");
  CHECK(examined.examine({"python3", "-O", folder / "app"}).at("python").health == Health::kWarning);
  chmod((folder / "app").c_str(), 0755);
  CHECK(examined.examine({folder / "app"}).at("python").health == Health::kWarning);
}

TEST_CASE("without the library there is one error") {
  const std::vector<Diagnosis> found =
      examine({}, std::vector<const char*>{nullptr}.data(), "/nowhere/bin", [](size_t, size_t) {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].health == Health::kError);
  CHECK(has(found[0].found, "libcommtap.so was not found"));
}

} // namespace
} // namespace commtap
