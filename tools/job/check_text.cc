// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/check_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/json/fields.h"
#include "report/json/json_row.h"
#include "tools/job/change_json.h"
#include "tools/job/change_text.h"
#include "tools/text/call_text.h"
#include "tools/text/markup.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxFindings = 20; ///< per check

size_t failedCount(const std::vector<Check>& checks) {
  return static_cast<size_t>(
      std::count_if(checks.begin(), checks.end(), [](const Check& check) { return !check.findings.empty(); }));
}

/// Returns "3 of 17 checks failed: commtap why says more", of the first, or "all 17 checks passed".
std::string summaryText(const std::vector<Check>& checks) {
  const auto first = std::ranges::find_if(checks, [](const Check& check) { return !check.findings.empty(); });
  return first == checks.end()
             ? fmt::format("all {} checks passed", checks.size())
             : fmt::format(
                   "{} of {} checks failed: commtap {} says more", failedCount(checks), checks.size(), moreOf(*first));
}

/// Returns the findings of a check, up to kMaxFindings, and the number of the others.
std::vector<std::string> linesOf(const Check& check, const JobReport& job) {
  std::vector<std::string> lines;
  uint64_t shown = 0;
  if (check.what == Check::What::kAgree) {
    const std::vector<DisagreementBundle> bundles = bundled(seriousDisagreements(job));
    for (size_t i = 0; i < std::min(bundles.size(), kMaxFindings); ++i) {
      lines.push_back(disagreementText(bundles[i], job));
      shown += bundles[i].groups;
    }
  } else {
    for (; shown < std::min(check.findings.size(), kMaxFindings); ++shown) {
      lines.push_back(findingText(check.findings[shown], job));
    }
  }
  const uint64_t more = check.findings.size() - shown + check.left_out;
  if (more > 0) {
    lines.push_back(fmt::format("and {} more", more));
  }
  return lines;
}

ordered_json findingJson(const Finding& finding, const JobReport& job) {
  ordered_json row = {{field::kWhat, findingName(finding.what)}};
  if (finding.bundle) {
    row.update(changeJson(*finding.bundle));
  } else {
    row["text"] = findingText(finding, job);
  }
  return row;
}

} // namespace

std::string checkText(
    const std::vector<Check>& checks,
    const std::vector<std::string>& notes,
    const JobReport& job,
    const Color& color) {
  std::string text;
  for (const std::string& note : notes) {
    text += color.warning("note: ") + inert(note) + "\n";
  }
  for (const Check& check : checks) {
    if (check.findings.empty()) {
      continue;
    }
    text += color.warning("FAILED") + " " + color.bold(failureText(check)) + "\n";
    for (const std::string& line : linesOf(check, job)) {
      text += "  " + line + "\n";
    }
  }
  return text + summaryText(checks) + "\n";
}

std::string
checkMarkdown(const std::vector<Check>& checks, const std::vector<std::string>& notes, const JobReport& job) {
  std::string text = "### commtap: " + summaryText(checks) + "\n";
  for (size_t i = 0; i < notes.size(); ++i) {
    text += (i == 0 ? "\n- **note:** " : "- **note:** ") + markdownText(notes[i]) + "\n";
  }
  for (const Check& check : checks) {
    if (check.findings.empty()) {
      continue;
    }
    text += "\n**" + markdownText(failureText(check)) + "**\n\n";
    for (const std::string& line : linesOf(check, job)) {
      text += "- " + markdownText(line) + "\n";
    }
  }
  return text;
}

std::string checkJunit(const std::vector<Check>& checks, const JobReport& job) {
  std::vector<JunitCase> cases;
  for (const Check& check : checks) {
    JunitCase& added = cases.emplace_back(JunitCase{checkText(check)});
    if (!check.findings.empty()) {
      const std::vector<std::string> lines = linesOf(check, job);
      added.message = lines.front();
      added.text = fmt::format("{}\n", fmt::join(lines, "\n"));
    }
  }
  return junitDocument("commtap check " + inert(job.source), "commtap", cases);
}

std::string unreadGithub(const std::string& path) {
  return fmt::format(
      "::error title=commtap check::{}\n",
      workflowMessage(inert(path) + ": not checked; the log of this step says why"));
}

std::string checkGithub(const std::vector<Check>& checks, const std::vector<std::string>& notes, const JobReport& job) {
  std::string text;
  for (const std::string& note : notes) {
    text += "::warning title=commtap check::" + workflowMessage(inert(note)) + "\n";
  }
  for (const Check& check : checks) {
    if (!check.findings.empty()) {
      text += fmt::format(
          "::error title={}::{}\n",
          workflowProperty("commtap: " + failureText(check)),
          workflowMessage(fmt::format("{}", fmt::join(linesOf(check, job), "\n"))));
    }
  }
  return text + "::notice title=commtap check::" + workflowMessage(summaryText(checks)) + "\n";
}

std::string checkJson(const std::vector<Check>& checks, const std::vector<std::string>& notes, const JobReport& job) {
  ordered_json list = ordered_json::array();
  for (const Check& check : checks) {
    ordered_json findings = ordered_json::array();
    for (const Finding& finding : check.findings) {
      findings.push_back(findingJson(finding, job));
    }
    list.push_back({
        {"check", checkText(check)},
        {"passed", check.findings.empty()},
        {"left_out", check.left_out},
        {"findings", std::move(findings)},
    });
  }
  const ordered_json document = {
      {field::kSchema, kCheckSchema},
      {"passed", passed(checks)},
      {field::kJob, jobIdentityJson(job)},
      {"notes", notes},
      {"checks", std::move(list)},
  };
  return jsonDocument(document);
}

} // namespace commtap
