// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/verify/verification.h"
#include "tools/text/markup.h"
#include "tools/text/table.h"

namespace commtap {

// The phrases that the lines of a finding are made of, all inert.

/// Returns "about 1.8", "about 4e-7": digests estimate distances.
std::string distanceText(double distance);

/// Returns "3 parameters".
std::string parametersText(const VerifyFinding& finding);
/// Returns "Net.a.w and 5 more".
std::string namesText(const std::vector<std::string>& parameters);

/// Returns "rank 2", "ranks 0-1, 3"; of many ranges, the first ones and the number of ranks.
std::string someRanksText(const RankRanges& ranges);
/// Returns " (and so in 7 more groups of ranks)" or "".
std::string furtherSets(const VerifyFinding& finding);
/// Returns all ranks of the finding's first set, and how many further sets there are.
std::string allRanksText(const VerifyFinding& finding);
/// Returns the parts of the finding's first set, "ranks 0 and 1" or "ranks 0-6 and rank 7", and how many further sets
/// there are.
std::string partsText(const VerifyFinding& finding);

/// Returns ", by about 0.5 of its size" or "".
std::string sizeText(const VerifyFinding& finding);
/// Returns "Net.a.w and 5 more: equal at step 1, different at step 2, by up to about 1.8 of their size; 3 more from
/// step 3 on".
std::string stepsText(const VerifyFinding& finding);

/// Returns why the ranks are held for replicas; "" if they are not.
std::string evidenceText(const VerifyFinding& finding);
/// Returns why the values differ; "" if it is not known.
std::string causeText(const VerifyFinding& finding);
/// Returns " (they differ by about 0.7 at step 1)" or "".
std::string gradientsApartText(const VerifyFinding& finding);

/// Joins two sentences, of which one may be "".
std::string sentences(const std::string& one, const std::string& other);

/// Returns up to three lines of inert text: what and where, between which samples and by how much, why and where to
/// look. A finding with two readings names both.
std::vector<std::string> linesOf(const VerifyFinding& finding);

/// Returns a finding's lines, under the head of its severity.
std::string findingText(VerifySeverity severity, const std::vector<std::string>& lines, const Color& color);

/// Returns the test case of a class. `is_strict`: warnings are failures too.
template <typename Finding, typename Class>
JunitCase junitCase(const std::vector<Finding>& findings, Class what, bool is_strict) {
  JunitCase made{std::string(EnumNames<Class>::name(what))};
  for (const Finding& finding : findings) {
    const bool is_warning = finding.severity == VerifySeverity::kWarning;
    if (finding.what == what && (finding.severity == VerifySeverity::kError || (is_strict && is_warning))) {
      made.message = made.message.empty() ? finding.lines.front() : made.message;
      made.text += findingText(finding.severity, finding.lines, Color::none());
    }
  }
  return made;
}

/// Writes the sentences of a verification: the lines of each finding, and Verification::line.
void addWords(Verification& result);

/// Returns inert text for people: the findings, of many the first ones, and what was compared. What could not be
/// compared comes first if nothing was.
std::string verifyText(const Verification& result, const Color& color);

/// Returns a JUnit document with a test case per class of findings. `is_strict`: warnings are failures too.
std::string verifyJunit(const Verification& result, bool is_strict);

} // namespace commtap
