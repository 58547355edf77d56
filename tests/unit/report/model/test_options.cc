// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/options.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

ParsedOptions parse(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return parseOptions(variables.data());
}

TEST_CASE("without variables all options have their defaults") {
  const ParsedOptions parsed = parse({"PATH=/bin", "HOME=/root"});
  CHECK(parsed.warnings.empty());
  CHECK(parsed.options.enabled);
  CHECK(parsed.options.out == "commtap-out");
  CHECK(parsed.options.log == LogLevel::kWarning);
  CHECK(parseOptions(nullptr).warnings.empty());
}

TEST_CASE("the default in each option row equals that of Options") {
  const Options fresh;
  for (const OptionRow& row : optionTable()) {
    Options options;
    if (!row.default_value.empty()) {
      CAPTURE(row.name);
      CHECK(row.apply(options, row.default_value, row));
      CHECK(options.enabled == fresh.enabled);
      CHECK(options.out == fresh.out);
      CHECK(options.log == fresh.log);
      CHECK(options.nvtx == fresh.nvtx);
      CHECK(options.verify == fresh.verify);
    }
  }
}

TEST_CASE("parseOptions reads all variables") {
  const ParsedOptions parsed = parse(
      {"COMMTAP=off",
       "COMMTAP_OUT=/x/%h/%%",
       "COMMTAP_LOG=debug",
       "COMMTAP_RUN_ID=r1",
       "COMMTAP_OPS=a::b,c::* all_reduce x",
       "COMMTAP_LEVEL=ops",
       "COMMTAP_LABELS=scopes",
       "COMMTAP_TIMING=sample:8",
       "COMMTAP_NVTX=1",
       "COMMTAP_VERIFY=3,1",
       "COMMTAP_TORCH=force",
       "COMMTAP_PLAN=fake"});
  CHECK(parsed.warnings.empty());
  CHECK_FALSE(parsed.options.enabled);
  CHECK(parsed.options.nvtx);
  CHECK(parsed.options.out == "/x/%h/%%");
  CHECK(parsed.options.log == LogLevel::kDebug);
  CHECK(parsed.options.run_id == "r1");
  CHECK(parsed.options.level == Level::kOps);
  CHECK(parsed.options.labels == Labels::kScopes);
  CHECK(parsed.options.timing == Timing{8, true});
  CHECK(parsed.options.verify == SampledSteps{false, {1, 3}});
  CHECK(parsed.options.torch == TorchVersions::kForce);
  CHECK(parsed.options.plan == Plan::kFake);
  CHECK(parsed.options.ops == std::vector<std::string>{"a::b", "c::* all_reduce x"});
}

TEST_CASE("an invalid option value causes a warning and keeps the default") {
  const ParsedOptions parsed = parse(
      {"COMMTAP=maybe",
       "COMMTAP_OUT=a%x",
       "COMMTAP_LOG=loud",
       "COMMTAP_OPS=a",
       "COMMTAP_LABELS=x",
       "COMMTAP_TIMING=on",
       "COMMTAP_VERIFY=1,",
       "COMMTAP_TORCH=2.14"});
  REQUIRE(parsed.warnings.size() == 8);
  CHECK(parsed.warnings[0] == "COMMTAP=maybe is invalid and was ignored: it must be 1 or 0; the default stays: 1");
  CHECK(parsed.warnings[1].find("COMMTAP_OUT=a%x") == 0);
  CHECK(parsed.warnings[2].find("off, error, warning, info or debug") != std::string::npos);
  CHECK(parsed.warnings[5].find("it must be off, host, device or sample:N with N >= 1;") != std::string::npos);
  CHECK(parsed.options.enabled);
  CHECK(parsed.options.out == "commtap-out");
  CHECK(parsed.options.log == LogLevel::kWarning);
  CHECK(parsed.options.ops.empty());
  CHECK(parsed.options.labels == Labels::kAuto);
  CHECK_FALSE(parsed.options.timing.isOn());
  CHECK_FALSE(parsed.options.verify.isOn());
  CHECK(parsed.warnings[6].find("it must be 0, 1, or steps such as 2,50,100;") != std::string::npos);
  CHECK(parsed.warnings[7].find("it must be releases or force; the default stays: releases") != std::string::npos);
  CHECK(parsed.options.torch == TorchVersions::kReleases);
}

TEST_CASE("a bad line of COMMTAP_OPS causes a warning of its own, and the others count") {
  const ParsedOptions parsed = parse({"COMMTAP_OPS=a::b,nonsense,c::d all_reduse x\n# comment\ne::f barrier"});
  CHECK(parsed.options.ops == std::vector<std::string>{"a::b", "e::f barrier"});
  REQUIRE(parsed.warnings.size() == 2);
  CHECK(parsed.warnings[0].starts_with(
      "COMMTAP_OPS=nonsense is invalid and was ignored: an op is namespace::name, or ends in * "));
  CHECK(parsed.warnings[1].starts_with("COMMTAP_OPS=c::d all_reduse x is invalid and was ignored: its second word "));
}

TEST_CASE("an empty option is ignored; an unknown option causes a warning with the known ones") {
  CHECK(parse({"COMMTAP_OUT=", "COMMTAP="}).warnings.empty());
  const ParsedOptions parsed = parse({"COMMTAP_OUTPUT=x", "COMMTAPX=1"});
  REQUIRE(parsed.warnings.size() == 1);
  CHECK(parsed.warnings[0].find("COMMTAP_OUTPUT is not an option") == 0);
  CHECK(parsed.warnings[0].find("did you mean COMMTAP_OUT? ") != std::string::npos);
  CHECK(parsed.warnings[0].find("COMMTAP_OUT,") != std::string::npos);
  CHECK(parse({"COMMTAP_SOMETHING_ELSE=1"}).warnings[0].find("did you mean") == std::string::npos);
}

TEST_CASE("option names and flags are unique, and every option has a help text") {
  std::set<std::string_view> names;
  for (const OptionRow& row : optionTable()) {
    CHECK(names.insert(row.name).second);
    CHECK((row.flag.empty() || names.insert(row.flag).second));
    CHECK_FALSE(row.type.empty());
    CHECK_FALSE(row.help.empty());
  }
}

TEST_CASE("an option accepts every word of its type, each with a different effect") {
  for (const std::string_view name :
       {"COMMTAP_LOG", "COMMTAP_LEVEL", "COMMTAP_LABELS", "COMMTAP_TIMING", "COMMTAP_TORCH", "COMMTAP_PLAN"}) {
    const auto rows = optionTable();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const OptionRow& each) { return each.name == name; });
    REQUIRE(row != rows.end());
    std::set<std::array<int, 7>> meanings;
    std::istringstream words{std::string(row->type)};
    size_t count = 0;
    for (std::string word; std::getline(words, word, '|'); ++count) {
      CAPTURE(word);
      Options options;
      REQUIRE(row->apply(options, word == "sample:N" ? "sample:3" : word, *row));
      meanings.insert(
          {static_cast<int>(options.log),
           static_cast<int>(options.level),
           static_cast<int>(options.labels),
           static_cast<int>(options.timing.every),
           static_cast<int>(options.timing.device),
           static_cast<int>(options.torch),
           static_cast<int>(options.plan)});
    }
    CHECK(meanings.size() == count);
  }
}

TEST_CASE("docs/options.md is up to date") {
  CHECK(readText(COMMTAP_SOURCE_ROOT "/docs/options.md") == optionsPage());
}

} // namespace
} // namespace commtap
