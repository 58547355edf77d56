// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/finding_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/json/row_write.h"
#include "report/verify/verification_columns.h"
#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

/// Runs three steps of two ranks that hold replicas, and a second parameter by `change`.
template <typename Change>
Verification resultOf(const Change& change) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  for (uint32_t step = 1; step <= 3; ++step) {
    job.gradient("Net.w", step);
    change(job, step);
    job.step(step);
  }
  Verification result = verify(job.processes(), {});
  addWords(result);
  return result;
}

Verification wrongResult() {
  return resultOf([](VerifyJob& job, uint32_t step) {
    if (step == 2) {
      job.at(1, "Net.w").value = noise(9);
    }
  });
}

TEST_CASE("a run without findings says what was compared, and what was not") {
  const Verification result = resultOf([](VerifyJob&, uint32_t) {});
  CHECK(
      verifyText(result, Color::none()) ==
      "OK: 1 parameter has replicas on ranks 0-1, bitwise equal in 3 samples (steps 1 to 3). Not checked: gradients "
      "and "
      "data before a reduction, a wrong scale, and errors that all ranks share.\n");
}

TEST_CASE("every parameter is in one of the counts") {
  Verification result = resultOf([](VerifyJob& job, uint32_t step) {
    for (const char* name : {"Net.apart", "Net.norm.ones", "Net.shard", "Net.other"}) {
      if (step == 1) {
        job.addOnAll(name, noise(3));
      }
      job.gradient(name, 7 * step, 100);
    }
    job.at(0, "Net.shard").facts.tensor_model_parallel = job.at(1, "Net.shard").facts.tensor_model_parallel = true;
    if (step == 1) {
      job.addOnAll("Net.norm.ones", std::vector<float>(64, 1));
      job.at(1, "Net.shard").value = noise(4);
      job.at(1, "Net.other").value = noise(5);
    }
  });
  CHECK(result.parameters == 5);
  CHECK(
      verifyText(result, Color::none())
          .find("\n1 parameter has replicas on ranks 0-1, bitwise equal in 3 samples (steps 1 to 3); 2 started equal "
                "and went "
                "apart; 1 is a shard; of 1 more nothing shows replicas. Not checked") != std::string::npos);
}

TEST_CASE("buffers are counted") {
  Verification result = resultOf([](VerifyJob&, uint32_t) {});
  result.buffers = result.equal_buffers = 3;
  addWords(result);
  CHECK(result.line.find("Compared too: 3 buffers. Not") != std::string::npos);
  result.equal_buffers = 2;
  result.reductions = 1;
  addWords(result);
  CHECK(
      result.line.find("too: 1 reduction of gradients, 0 rows of data and 3 buffers (2 equal).") != std::string::npos);
}

TEST_CASE("shards alone are nothing to compare") {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.onAll("Net.w", [](VerifyJob::MadeParameter& made, int64_t rank) {
    made.value = noise(static_cast<uint32_t>(rank));
    made.facts.placements = {"Shard(dim=0)"};
    made.facts.coordinate = {rank};
  });
  job.step(1);
  Verification result = verify(job.processes(), {});
  addWords(result);
  CHECK(verifyText(result, Color::none()) == "NOTHING TO COMPARE: all parameters are shards (1, on ranks 0-1)\n");
  Verification none;
  addWords(none);
  CHECK(none.line == "NOTHING TO COMPARE: no rank has samples");
}

TEST_CASE("reductions and rows that were compared are counted, with replicas and without") {
  Verification result = resultOf([](VerifyJob&, uint32_t) {});
  result.reductions = 6;
  result.rows = 48;
  addWords(result);
  CHECK(result.line.ends_with(
      "(steps 1 to 3). Compared too: 6 reductions of gradients and 48 rows of data. Not checked: a wrong "
      "scale, and errors that all ranks share."));
  result.replicated = 0;
  result.sharded = 1;
  addWords(result);
  CHECK(result.line.starts_with(
      "OK: no parameter is known to have replicas in 3 samples (steps 1 to 3); 1 is a shard. Compared"));
}

TEST_CASE("an error comes with its lines, and its first line is the verdict's") {
  const Verification result = wrongResult();
  CHECK(result.line == "WRONG: ranks 0 and 1 use the same gradient for 1 parameter, and hold different values");
  const std::string text = verifyText(result, Color::none());
  CHECK(text.starts_with(result.line + "\n  Net.w: equal at step 1, different at step 2, by "));
  CHECK(text.find("1 parameter has replicas") != std::string::npos);
  CHECK(verifyText(result, Color::always()).find("\x1b[1;33mWRONG") == 0);
}

TEST_CASE("of many findings the first ones are shown") {
  Verification result = wrongResult();
  result.findings.resize(25, result.findings.front());
  CHECK(verifyText(result, Color::none()).find("(15 more findings: --json)\n") != std::string::npos);
}

TEST_CASE("JSON has all fields, null for what is not known") {
  const nlohmann::json json = nlohmann::json::parse(jsonDocument(wrongResult()));
  CHECK(json["schema"] == "commtap.verify/1");
  CHECK(json["status"] == "wrong");
  CHECK(json["ranks"] == "0-1");
  const nlohmann::json& finding = json["findings"][0];
  CHECK(finding["severity"] == "error");
  CHECK(finding["class"] == "same_gradient");
  CHECK(finding["parameters"] == nlohmann::json{"Net.w"});
  CHECK(finding["sets"][0]["parts"] == nlohmann::json{"0", "1"});
  CHECK(finding["before"] == 1);
  CHECK(finding["last_step"].is_null());
  CHECK(finding["group"].is_null());
}

TEST_CASE("JUnit has a test case per class; a warning fails if strict") {
  const std::string text = verifyJunit(wrongResult(), false);
  CHECK(text.find("failures=\"1\"") != std::string::npos);
  CHECK(text.find("name=\"same_gradient\">\n      <failure message=\"ranks 0 and 1 use") != std::string::npos);
  CHECK(text.find("name=\"stuck\"/>") != std::string::npos);
  Verification suspect = wrongResult();
  suspect.findings[0].severity = VerifySeverity::kWarning;
  CHECK(verifyJunit(suspect, false).find("failures=\"0\"") != std::string::npos);
  CHECK(verifyJunit(suspect, true).find("failures=\"1\"") != std::string::npos);
}

TEST_CASE("what is not in the samples comes last") {
  Verification result = resultOf([](VerifyJob&, uint32_t) {});
  result.not_sampled = {"rank 2 has no samples"};
  CHECK(verifyText(result, Color::none()).ends_with(" share.\nNOT SAMPLED: rank 2 has no samples\n"));
}

TEST_CASE("an error points to the warning that came before it") {
  const Verification result = resultOf([](VerifyJob& job, uint32_t step) {
    if (step == 1) {
      job.addOnAll("Net.norm", std::vector<float>(64, 1));
    }
    job.gradient("Net.norm", 20 * step, 1);
    job.gradient("Net.w", step, step > 1 ? 100 : 0);
  });
  REQUIRE(result.findings.size() == 2);
  CHECK(result.findings[0].lines.back().ends_with(
      "A warning below is of an earlier step, between the same ranks: look there first."));
  CHECK(result.findings[1].what == VerifyClass::kUnproven);
}

} // namespace
} // namespace commtap
