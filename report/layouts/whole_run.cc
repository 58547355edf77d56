// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/layouts/whole_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "report/replicas/parameter_tracks.h"
#include "report/replicas/replica_sets.h"
#include "report/replicas/replica_split.h"

namespace commtap {
namespace {

constexpr const char* kApart = "its replicas differ between ranks: see commtap verify without --like";
constexpr const char* kUnreduced = "its gradients differ between replicas, or are not known on all ranks";
constexpr const char* kIncomplete = "some of its parts have no samples";
constexpr const char* kAmbiguous = "ranks hold one part of it with different values, and nothing declares them copies";
constexpr const char* kUnnamed =
    "no optimizer has it under this name, and one has parameters that the model has no name for: they may be the same";
constexpr const char* kThinned = "there are very many parameters: norms only";

WholeDigest wholeOf(const Digest& digest, bool has_sums) {
  return {digest.squares, digest.sums, true, has_sums, digest.has_non_finite};
}

void add(WholeDigest& to, const WholeDigest& part) {
  to.squares += part.squares;
  to.has_squares &= part.has_squares;
  to.has_sums &= part.has_sums;
  to.has_non_finite |= part.has_non_finite;
  for (int j = 0; j < kDigestSums; ++j) {
    to.sums[j] += part.sums[j];
  }
}

/// Returns the sets of ranks that hold copies, those of one rank too.
std::vector<RankTracks> copiesOf(const ParameterTrack& track, const JobFacts& facts) {
  std::map<const RankTrack*, size_t> root;
  for (size_t i = 0; i < track.ranks.size(); ++i) {
    root[&track.ranks[i]] = i;
  }
  for (const ReplicaSet& set : replicaSetsOf(track, facts)) {
    const size_t steps = set.members.front()->rows.size();
    if (!set.isDeclared() && proofOf(set.members, steps) == ReplicaEvidence::kNone) {
      continue;
    }
    for (const RankTrack* member : set.members) {
      const size_t from = root[member];
      const size_t to = root[set.members.front()];
      std::for_each(
          root.begin(), root.end(), [&](auto& entry) { entry.second = entry.second == from ? to : entry.second; });
    }
  }
  std::map<size_t, RankTracks> by_root;
  for (const RankTrack& rank : track.ranks) {
    by_root[root[&rank]].push_back(&rank);
  }
  std::vector<RankTracks> all;
  for (auto& [at, members] : by_root) {
    all.push_back(std::move(members));
  }
  return all;
}

/// Returns the coordinates on the dimensions of the mesh over which a gradient is yet to be summed; -1 for the others.
std::vector<int64_t> placeInSum(const SampledParameter& facts, const SampleRow& row) {
  std::vector<int64_t> place;
  for (size_t dim = 0; dim < facts.coordinate.size(); ++dim) {
    place.push_back(((row.gradient_summed_over >> dim) & 1U) != 0 ? facts.coordinate[dim] : -1);
  }
  return place;
}

/// Copies of one part at a step.
struct PartRow {
  int64_t rank = 0;
  const SampledParameter* facts = nullptr;
  const SampleRow* row = nullptr; ///< of one of them
  WholeDigest value;
  WholeDigest gradient; ///< not known, if there is none on some of them
  bool has_no_gradient = false;
};

std::string partsText(const std::vector<PartRow>& parts) {
  std::string text;
  for (const PartRow& part : parts) {
    text += std::to_string(part.rank) + ":" + std::to_string(elementsOf(part.facts->local_shape)) + " ";
  }
  return text;
}

/// Puts one parameter together.
class Whole {
 public:
  Whole(const ParameterTrack& track, const ParameterTracks& tracks, const JobFacts& facts)
      : track_(track), steps_(tracks.optimizerOf(track).steps), facts_(facts), copies_(copiesOf(track, facts)) {}

  WholeParameter made() {
    const SampledParameter& facts = *track_.ranks.front().facts;
    parameter_.name = track_.name;
    parameter_.dtype = facts.dtype;
    parameter_.has_model_name = facts.has_model_name;
    for (size_t step = 0; step < steps_.size(); ++step) {
      addStep(step);
    }
    return std::move(parameter_);
  }

 private:
  void note(const char* why) {
    parameter_.why_unknown = parameter_.why_unknown.empty() ? why : parameter_.why_unknown;
  }
  bool areNear(const Digest& a, const Digest& b, bool has_sums, size_t step, bool is_gradient) const {
    const RoundingBounds bounds = roundingBounds(parameter_.dtype, facts_.coarse_dtype, steps_[step]);
    const std::optional<double> distance = a.bits == b.bits ? 0.0 : replicaDistance(a, b, has_sums);
    return distance && *distance < (is_gradient ? bounds.gradients : bounds.values);
  }

  /// Adds the gradients of copies: those that are yet to be summed once each, others once for all. Those of parts that
  /// are each the whole are copies too.
  void addGradient(const RankTracks& members, size_t step, PartRow& part) {
    part.has_no_gradient = std::all_of(members.begin(), members.end(), [step](const RankTrack* member) {
      return !member->row(step)->has_gradient && !member->row(step)->is_gradient_unknown;
    });
    std::map<std::vector<int64_t>, const SampleRow*> terms; // by the place on the dimensions that are summed over
    for (const RankTrack* member : members) {
      const SampleRow& row = *member->row(step);
      const SampleRow& term = *terms.emplace(placeInSum(*member->facts, row), &row).first->second;
      const bool is_elsewhere = member->facts->has_place && !row.has_gradient_place;
      if (!row.has_gradient || is_elsewhere || (row.is_gradient_partial && row.gradient_summed_over == 0) ||
          !areNear(term.gradient, row.gradient, row.has_sums, step, true)) {
        note(part.has_no_gradient ? "" : kUnreduced);
        return;
      }
    }
    part.gradient = {.has_squares = true, .has_sums = true};
    for (const auto& [key, row] : terms) {
      add(part.gradient, wholeOf(row->gradient, row->has_sums));
    }
    part.gradient.has_squares = terms.size() == 1;
  }

  /// Returns the parts at a step; none if some copies have no sample, or differ.
  std::vector<PartRow> partsAt(size_t step) {
    std::vector<PartRow> parts;
    for (const RankTracks& members : copies_) {
      RankTracks present;
      std::copy_if(members.begin(), members.end(), std::back_inserter(present), [step](const RankTrack* member) {
        return member->row(step) != nullptr;
      });
      if (present.empty()) {
        return {};
      }
      const RankTrack& first = *present.front();
      PartRow part{.facts = first.row_facts[step], .row = first.row(step)};
      if (elementsOf(part.facts->local_shape) == 0) {
        continue;
      }
      const auto is_near = [&](const RankTrack* member) {
        return areNear(member->row(step)->value, part.row->value, part.row->has_sums, step, false);
      };
      if (!std::all_of(present.begin(), present.end(), is_near)) {
        note(kApart);
        return {};
      }
      part.rank = first.rank;
      part.value = wholeOf(part.row->value, part.row->has_sums);
      addGradient(present, step, part);
      parts.push_back(part);
    }
    return parts;
  }

  /// Leaves one of the parts that have one place and equal values. Returns whether no two parts have one place. Shards
  /// of a constant look like copies of it.
  static bool mergeEqual(std::vector<PartRow>& parts) {
    for (size_t i = 0; i < parts.size(); ++i) {
      for (size_t k = i + 1; k < parts.size();) {
        if (!parts[i].facts->has_place || parts[i].facts->part != parts[k].facts->part) {
          ++k;
        } else if (parts[i].row->value.bits != parts[k].row->value.bits || parts[i].row->value.is_constant) {
          return false;
        } else {
          const bool is_one = parts[i].row->gradient.bits == parts[k].row->gradient.bits &&
                              parts[i].row->has_gradient == parts[k].row->has_gradient;
          parts[i].gradient = is_one ? parts[i].gradient : WholeDigest();
          parts[i].has_no_gradient &= is_one;
          parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k));
        }
      }
    }
    return true;
  }

  void addStep(size_t step) {
    std::vector<PartRow> parts = partsAt(step);
    if (parts.empty()) {
      return;
    }
    const SampledParameter& facts = *parts.front().facts;
    const bool are_apart = mergeEqual(parts);
    int64_t elements = 0;
    WholeStep made{
        .value = {.has_squares = true, .has_sums = true}, .gradient = {.has_squares = true, .has_sums = true}};
    made.has_no_gradient = true;
    for (const PartRow& part : parts) {
      elements += elementsOf(part.facts->local_shape);
      add(made.value, part.value);
      add(made.gradient, part.gradient);
      made.has_no_gradient &= part.has_no_gradient;
    }
    if (parts.front().row->is_gradient_whole) {
      RankTracks present;
      for (const RankTrack& rank : track_.ranks) {
        if (rank.row(step) != nullptr) {
          present.push_back(&rank);
        }
      }
      PartRow all;
      addGradient(present, step, all);
      made.gradient = all.gradient;
    }
    if (!facts.part.empty() && (!are_apart || elements != elementsOf(facts.shape))) {
      note(are_apart ? kIncomplete : kAmbiguous);
      return;
    }
    if (!made.value.has_sums) {
      note(kThinned);
    }
    made.parts = facts.has_place && (!facts.part.empty() || parts.size() == 1) ? "" : partsText(parts);
    made.elements = elements;
    parameter_.steps[steps_[step]] = made;
  }

  const ParameterTrack& track_;
  const std::vector<uint64_t>& steps_;
  const JobFacts& facts_;
  std::vector<RankTracks> copies_;
  WholeParameter parameter_;
};

/// Returns the rows that entered the model on one rank, by step of all its optimizers together.
std::map<uint64_t, SampledBatch> batchesOf(const ProcessSamples& process, std::set<uint64_t>& unknown) {
  std::map<uint64_t, SampledBatch> batches;
  for (const Sample& sample : process.samples) {
    SampledBatch& batch = batches[sample.step];
    batch.forwards += sample.batch.forwards;
    batch.rows += sample.batch.rows;
    batch.sum += sample.batch.sum;
    batch.has_draws |= sample.batch.has_draws;
    batch.has_autocast |= sample.batch.has_autocast;
    for (const SampledGap& gap : sample.gaps) {
      if (gap.why.starts_with("forwards")) {
        unknown.insert(sample.step);
      }
    }
  }
  return batches;
}

void addData(std::span<const ProcessSamples> processes, WholeRun& run) {
  std::map<uint64_t, std::set<std::pair<uint64_t, uint64_t>>> seen; // rows and sums, by step
  std::set<uint64_t> unknown;
  for (const ProcessSamples& process : processes) {
    for (const auto& [step, batch] : batchesOf(process, unknown)) {
      WholeData& data = run.data[step];
      if (batch.rows > 0 && seen[step].emplace(batch.rows, batch.sum).second) {
        data.rows += batch.rows;
        data.sum += batch.sum;
      }
      data.forwards = std::max(data.forwards, batch.forwards);
      data.has_draws |= batch.has_draws;
      data.has_autocast |= batch.has_autocast;
    }
  }
  for (auto& [step, data] : run.data) {
    data.is_known = data.rows > 0 && !unknown.contains(step);
  }
}

} // namespace

double WholeDigest::norm() const {
  const double of_sums = std::inner_product(sums.begin(), sums.end(), sums.begin(), 0.0) / kDigestSums;
  return std::sqrt(has_squares ? squares : of_sums);
}

WholeRun wholeRunOf(std::span<const ProcessSamples> processes, const JobFacts& facts) {
  const ParameterTracks all(processes);
  const ParameterTracks tracks(processes, samplesApart(all, facts));
  WholeRun run;
  if (!processes.empty()) {
    run.run_id = processes.front().job.run_id;
  }
  run.ranks = tracks.ranks();
  run.coarse_dtype = facts.coarse_dtype;
  run.mesh_dims = facts.mesh_dims;
  // After a forward FSDP2's model may have other objects than the optimizer.
  const bool has_unnamed = std::any_of(tracks.all().begin(), tracks.all().end(), [](const ParameterTrack& track) {
    return !track.ranks.front().facts->has_model_name;
  });
  std::map<std::string, size_t> known; // two optimizers may have one parameter
  for (const ParameterTrack& track : tracks.all()) {
    const SampledParameter& first = *track.ranks.front().facts;
    const auto [place, is_new] = known.emplace(track.name, run.parameters.size());
    if (!is_new && !first.is_in_optimizer) {
      continue;
    }
    run.parameters.resize(std::max(run.parameters.size(), place->second + 1));
    WholeParameter& made = run.parameters[place->second] = Whole(track, tracks, facts).made();
    if (has_unnamed && !first.is_in_optimizer && !first.is_buffer && first.requires_grad) {
      made.why_unknown = kUnnamed;
      std::for_each(made.steps.begin(), made.steps.end(), [](auto& step) { step.second.has_no_gradient = false; });
    }
  }
  addData(processes, run);
  return run;
}

} // namespace commtap
