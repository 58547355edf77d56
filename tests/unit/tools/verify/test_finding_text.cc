// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/finding_text.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

VerifyFinding finding(VerifyClass what) {
  VerifyFinding made;
  made.what = what;
  made.before = 1;
  made.step = 2;
  made.parameters = {"Net.a.w", "Net.b.w"};
  made.sets = {{{{0, 1}}, {{{0, 0}}, {{1, 1}}}}};
  made.value_distance = 1.83;
  made.gradient_distance = 0.7;
  made.gradient_step = 1;
  made.cause = DifferenceCause::kGradients;
  made.cause_ranks = {{1, 1}};
  return made;
}

using Lines = std::vector<std::string>;

TEST_CASE("declared replicas: what, between which samples and by how much, why") {
  VerifyFinding declared = finding(VerifyClass::kDeclared);
  declared.evidence = ReplicaEvidence::kDdp;
  CHECK(
      linesOf(declared) ==
      Lines{
          "2 parameters that must be equal differ between ranks 0 and 1",
          "Net.a.w and 1 more: equal at step 1, different at step 2, by up to about 1.8 of their size",
          "Replicas of one DistributedDataParallel. Their gradients differ by up to about 0.7 at step 1: are they "
          "reduced over ranks 0-1, and unchanged since?"});
}

TEST_CASE("proven replicas say what proved them") {
  VerifyFinding drift = finding(VerifyClass::kDrift);
  drift.evidence = ReplicaEvidence::kGradients;
  drift.cause = DifferenceCause::kNoGradient;
  drift.parameters.pop_back();
  CHECK(
      linesOf(drift) ==
      Lines{
          "1 parameter had replicas on ranks 0 and 1, which went apart",
          "Net.a.w: equal at step 1, different at step 2, by about 1.8 of its size",
          "Replicas: in an earlier sample their gradients were equal. No gradient on rank 1 at step 2."});
}

TEST_CASE("a warning names both readings, by the cause") {
  VerifyFinding unproven = finding(VerifyClass::kUnproven);
  Lines lines = linesOf(unproven);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "2 parameters started equal on ranks 0 and 1 and went apart");
  CHECK(
      lines[2] ==
      "If they are replicas, their gradients are not reduced, or are changed on a rank after that (they differ by up "
      "to "
      "about 0.7 at step 1). If they are shards, experts or heads of one rank, all is well.");
  unproven.cause = DifferenceCause::kUpdate;
  CHECK(linesOf(unproven)[2].starts_with(
      "If they are replicas, their update differs: the gradients are equal at step 1."));
  unproven.cause = DifferenceCause::kUnknown;
  CHECK(linesOf(unproven)[2].starts_with("If they are replicas, this is an error."));
}

TEST_CASE("replicas with one gradient say whether an earlier one differed") {
  VerifyFinding same = finding(VerifyClass::kSameGradient);
  CHECK(
      linesOf(same)[2] ==
      "Only replicas use one gradient. Their gradients differ by up to about 0.7 at step 1: are they reduced over "
      "ranks "
      "0-1, and unchanged since?");
  same.cause = DifferenceCause::kUpdate;
  CHECK(linesOf(same)[2].starts_with("Only replicas use one gradient. Look for a skipped broadcast"));
}

TEST_CASE("one parameter was equal again, several were") {
  VerifyFinding periodic = finding(VerifyClass::kPeriodic);
  periodic.last_step = 3;
  CHECK(linesOf(periodic)[0] == "2 parameters went apart on ranks 0 and 1, and were equal again at step 3");
  periodic.parameters.pop_back();
  CHECK(linesOf(periodic)[0] == "1 parameter went apart on ranks 0 and 1, and was equal again at step 3");
}

TEST_CASE("gradients that are not finite have the sample before them") {
  VerifyFinding odd = finding(VerifyClass::kNonFiniteGradient);
  odd.evidence = ReplicaEvidence::kDdp;
  CHECK(
      linesOf(odd) ==
      Lines{
          "the gradients of 2 parameters have infinities or NaN on rank 1 only, of ranks 0-1",
          "Net.a.w and 1 more: finite at step 1, not finite at step 2, with equal values",
          "Replicas of one DistributedDataParallel. Are they reduced over these ranks, and what changes them after "
          "that?"});
}

TEST_CASE("a skipped step says by how many collectives, and what followed") {
  VerifyFinding skipped = finding(VerifyClass::kSkippedStep);
  skipped.collectives = 4;
  skipped.group = "default_pg";
  CHECK(
      linesOf(skipped) ==
      Lines{
          "rank 1 made fewer updates than rank 0 between steps 1 and 2",
          "at step 2 of their optimizers, rank 1 had issued 4 more collectives in group default_pg than rank 0: the "
          "collectives of whole steps",
          "Since then their values differ: Net.a.w and 1 more, by up to about 1.8 of their size. Look for what leaves "
          "out "
          "optimizer.step() on some ranks."});
}

TEST_CASE("every class has one to three lines of inert text") {
  for (int i = 0; i < kVerifyClassCount; ++i) {
    VerifyFinding each = finding(static_cast<VerifyClass>(i));
    each.parameters = {"Net.\x1b[31m"};
    const Lines lines = linesOf(each);
    CHECK_MESSAGE(!lines.empty(), verifyClassName(each.what));
    CHECK_MESSAGE(lines.size() <= 3, verifyClassName(each.what));
    for (const std::string& line : lines) {
      CHECK_MESSAGE(line.find('\x1b') == std::string::npos, line);
    }
  }
}

TEST_CASE("the source of infinities names its ranks, and whether values follow") {
  VerifyFinding source = finding(VerifyClass::kSourceOfNan);
  source.severity = VerifySeverity::kError;
  source.parameters = {"Net.a.w"};
  CHECK(
      linesOf(source) ==
      Lines{
          "rank 1 put infinities or NaN into a reduction of gradients, which gave them to ranks 0-1",
          "Net.a.w: finite at step 1, not finite at step 2; in backward order the first gradient",
          "Values are not finite in this or a later sample. Look at this rank's data and loss in that step."});
  source.severity = VerifySeverity::kNote;
  CHECK(linesOf(source)[2] == "No sampled value is: a loss scaler leaves such steps out.");
  source.severity = VerifySeverity::kWarning;
  CHECK(linesOf(source)[2].starts_with("No later step is sampled, which would show"));
  source.cause_ranks.clear();
  source.parameters.clear();
  CHECK(linesOf(source)[0] == "values or gradients have infinities or NaN on all of ranks 0-1");
  CHECK(linesOf(source)[1] == "finite at step 1, not finite at step 2");
}

TEST_CASE("the same samples are shown by rows or by gradients, with their part") {
  VerifyFinding same = finding(VerifyClass::kSameData);
  same.severity = VerifySeverity::kWarning;
  same.last_step = 9;
  same.ratio = 1;
  CHECK(linesOf(same)[0] == "ranks 0-1 read the same samples in each sampled step (steps 2 to 9)");
  same.ratio = 0.75;
  CHECK(linesOf(same)[0] == "ranks 0-1 share at least 75 % of their samples in each sampled step (steps 2 to 9)");
  CHECK(linesOf(same)[1].starts_with("If each computes its gradient from all of these, their average is about one"));
  same.severity = VerifySeverity::kNote;
  CHECK(linesOf(same)[1] == "Samples that are drawn with replacement, padding or a small dataset do so.");
  same.evidence = ReplicaEvidence::kGradients;
  CHECK(
      linesOf(same)[0] ==
      "ranks 0-1 put equal gradients into every reduction of their group in the sampled steps (steps 2 to 9)");
}

TEST_CASE("inputs of reductions name the group, the ranks and the places") {
  VerifyFinding made = finding(VerifyClass::kReducedTwice);
  made.group = "dp";
  made.modules = {"Net"};
  CHECK(
      linesOf(made)[0] ==
      "gradients at 2 places are reduced again over group dp, although they are equal on ranks 0-1 already");
  CHECK(linesOf(made)[1] == "Net.a.w and 1 more, after the reduction at Net, from step 2 on");
  made.what = VerifyClass::kNoContribution;
  made.severity = VerifySeverity::kWarning;
  CHECK(
      linesOf(made)[0] ==
      "rank 1 put only zeros into the reductions of gradients in all sampled steps, of ranks 0-1 in group dp");
  made.severity = VerifySeverity::kNote;
  CHECK(
      linesOf(made)[0] == "rank 1 put only zeros into the reductions of gradients in step 2, of ranks 0-1 in group dp");
  made.what = VerifyClass::kOtherSize;
  made.ratio = 1000;
  CHECK(
      linesOf(made)[0] ==
      "the gradients of rank 1 are at least 1000 times as large as the smallest of ranks 0-1, in each sampled step");
}

TEST_CASE("what rows show names the group, and both readings") {
  VerifyFinding one_way;
  one_way.what = VerifyClass::kOneWay;
  one_way.group = "cp";
  one_way.modules = {"Net.a"};
  CHECK(
      linesOf(one_way) ==
      Lines{
          "Net.a gathers or sends values over group cp in the forward, and nothing communicates for it in the backward",
          "If gradients should flow to the ranks that the values are of, use a function with autograd, as those of "
          "torch.distributed.nn. If only values are needed, all is well."});
  one_way.modules = {"Net.a", "Net.b", "Net.c"};
  CHECK(
      linesOf(one_way).front() ==
      "Net.a and 2 more gather or send values over group cp in the forward, and nothing communicates for them in the "
      "backward");
  VerifyFinding lone;
  lone.what = VerifyClass::kLoneReductions;
  lone.group = "shard";
  lone.sets = {{{{0, 1}}, {}}};
  CHECK(
      linesOf(lone).front() ==
      "gradients are reduced in group shard of one rank, and ranks 0-1 do not communicate otherwise");
}

} // namespace
} // namespace commtap
