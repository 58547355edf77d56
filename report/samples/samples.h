// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/checksum.h"
#include "report/model/model.h"

// The format of a samples file: a head, then blocks, each a SamplesBlock and its payload. Numbers are those of the
// machine, little-endian, without padding.
//
//  - The first block is the process's job: the head of its report, as JSON text.
//  - A block of parameters has those that the next sample names first: JSON text, see samples_reader.h. They are
//    numbered through the file, from 0.
//  - A block of a sample is binary.
//
// A writer only appends. So a file that ends early is cut, and any other difference is damage.

namespace commtap {

inline constexpr int kDigestSums = 8;

/// Represents a tensor's values in a comparison with those of another rank: equal values give equal digests, and the
/// sums of different ones show about how far they are apart.
struct Digest {
  uint64_t bits = 0;                      ///< a hash of the elements' bits, in order
  double squares = 0;                     ///< the sum of the elements' squares
  std::array<double, kDigestSums> sums{}; ///< the sums of the elements, each with signs of its own
  bool is_constant = true;                ///< all elements have the same bits
  bool has_non_finite = false;            ///< an element is infinite or not a number
};

/// Returns about how far two tensors of equal size are apart: the Euclidean norm of their difference, by the larger of
/// their norms. The estimate is the root of the mean square of the sums' differences (Alon, Matias, Szegedy 1996: the
/// expectation is exact, and of eight sums 98 in 100 estimates are within 0.4 and 1.6 of the truth).
double digestDistance(const Digest& a, const Digest& b);

/// Returns the number of elements of a tensor of this shape.
inline int64_t elementsOf(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// The facts of a parameter when it is first sampled: what the job declares about its copies on other ranks. If any of
/// them changes, as when it is unfrozen, there is another entry, with the same name.
struct SampledParameter {
  std::string name;                 ///< module FQN and name; "optimizer0.group1.7" if no module has it
  uint32_t optimizer = 0;           ///< the number of the optimizer that has it, in the order of their first steps
  bool is_in_optimizer = true;      ///< false: a parameter of a model that no optimizer has
  bool is_buffer = false;           ///< of a model, that is no parameter
  bool has_model_name = true;       ///< false: the name is a place in an optimizer
  std::vector<int64_t> shape;       ///< of the whole parameter, where a DTensor or FSDP1 says so
  std::vector<int64_t> local_shape; ///< of what is sampled
  std::string dtype;                ///< "float32"
  bool requires_grad = true;
  /// DTensor: JSON object text {"dim_names":[...],"shape":[...],"ranks":[...]}, else "". The ranks are those of the
  /// mesh in its order. dim_names are null if the mesh has none, and ranks if they could not be read.
  std::string mesh;
  std::vector<std::string> placements;       ///< DTensor: one per mesh dimension, "Replicate()", "Shard(dim=0)"
  std::vector<int64_t> coordinate;           ///< DTensor: this rank's place in the mesh
  std::optional<bool> tensor_model_parallel; ///< Megatron's attributes, where the parameter has them
  std::optional<bool> sequence_parallel;
  std::optional<bool> allreduce;
  std::vector<int64_t> ddp_ranks; ///< the ranks of the DistributedDataParallel that has it; empty: none
  bool is_fsdp1_flat = false;     ///< FSDP1: a flat parameter, or an original one that is a part of it
  /// Whether the signs of the sums follow the place of the elements in the whole parameter: then the sums of its parts
  /// add up to those of the whole, whatever the layout.
  bool has_place = true;
  /// This place: for each dimension the number of ranges of indices, then the start and length of each; empty for the
  /// whole. A part of FSDP1's flat parameter is one of an original parameter's elements in their order, one dimension.
  std::vector<int64_t> part;
};

/// A parameter's values and gradient at the start of a step of its optimizer.
struct SampleRow {
  uint32_t parameter = 0; ///< index in ProcessSamples::parameters
  bool has_gradient = false;
  bool is_gradient_unknown = false; ///< there is a gradient, which could not be sampled; has_gradient is false
  bool is_gradient_partial = false; ///< a DTensor's gradient that is summed only within the step
  bool has_sums = true;             ///< false: the digests' sums were left out, for there are many parameters
  bool has_gradient_place = true;   ///< false: the signs of the gradient's sums do not follow its place, as `has_place`
  bool is_gradient_whole = false;   ///< the place of the gradient is all of the parameter, of which the rank has a part
  /// The dimensions of the mesh over which the gradient is yet to be summed, bit i for dimension i: the sums of such
  /// parts add up, and their squares do not.
  uint8_t gradient_summed_over = 0;
  Digest value;
  Digest gradient;
};

/// The number of collectives that a group had issued.
struct SampledGroup {
  std::string name; ///< as in the report's groups
  uint64_t collectives = 0;
};

/// A tensor that this rank put into a collective that sums or averages, between the step before a sample and its own.
struct SampledReduction {
  std::string group;     ///< as in the report's groups
  uint64_t sequence = 0; ///< the call's number in the group, from 1
  uint32_t part = 0;     ///< the tensor's place in the call
  std::string module;    ///< to which the call is attributed, or the parameter whose gradient the tensor is
  uint64_t elements = 0;
  bool is_gradient = false; ///< false: a call outside of backward, with memory of no parameter's gradient
  Digest input;
};

/// The rows of the tensors, by their first dimension, that entered the outermost modules of the forwards before a
/// sample: each row's hash is of all tensors of a call together. Rows whose elements are all equal, and those of a few
/// elements, do not count: other data have them too.
struct SampledBatch {
  static constexpr size_t kMostHashes = 64;

  uint64_t forwards = 0;        ///< calls of outermost modules, with gradients
  uint64_t rows = 0;            ///< that count
  uint64_t sum = 0;             ///< of all their hashes
  std::vector<uint64_t> hashes; ///< the smallest ones, ascending
  bool has_draws = false;       ///< a forward drew from torch's default generator of the CPU, as dropout does
  bool has_autocast = false;    ///< a forward began under autocast, so it computes in a short type
};

/// Inputs of reductions or forwards that could not be sampled.
struct SampledGap {
  std::string why;
  uint64_t count = 0;
};

/// One optimizer's parameters at the start of one of its steps. A parameter that could not be sampled has no row. From
/// the third sample on, some of very many parameters have none: the same ones on each rank that has their replicas.
struct Sample {
  uint32_t optimizer = 0;
  uint64_t step = 0;  ///< the first step is 1: it has the initial values
  uint64_t at_ns = 0; ///< CLOCK_REALTIME
  std::vector<SampledGroup> groups;
  std::vector<SampleRow> rows;
  std::vector<SampledReduction> reductions; ///< in the order of their calls
  uint64_t gradient_elements = 0;           ///< of all gradients at the start of the step
  SampledBatch batch;
  std::vector<SampledGap> gaps;
};

/// All samples of one process.
struct ProcessSamples {
  Job job; ///< as in the process's report
  std::vector<SampledParameter> parameters;
  std::vector<Sample> samples; ///< in the order in which they were taken
  bool is_cut = false;         ///< the file ends within a sample, which is left out
  std::string damage;          ///< why the samples after these could not be read; "" if there is no damage
};

inline constexpr std::array<char, 8> kSamplesMagic = {'c', 't', 's', 'a', 'm', 'p', 'l', '\n'};
/// A change of any layout changes it.
inline constexpr uint32_t kSamplesVersion = 3;

/// The size that a file does not exceed. 100,000 parameters have about 25 samples in it.
inline constexpr uint64_t kMostSamplesBytes = 35'000'000;

struct SamplesHead {
  std::array<char, 8> magic = kSamplesMagic;
  uint32_t version = kSamplesVersion;
  uint32_t check = checksumOf(kSamplesVersion);
};
static_assert(sizeof(SamplesHead) == 16);

// NOLINTNEXTLINE(performance-enum-size): a member of the file's blocks
enum class SamplesBlockKind : uint32_t { kJob, kParameters, kSample };

struct SamplesBlock {
  uint64_t size = 0; ///< of the payload, bytes
  SamplesBlockKind kind = SamplesBlockKind::kJob;
  uint32_t number = 0;        ///< of the block in the file, from 0
  uint32_t payload_check = 0; ///< Checksum of the payload
  uint32_t check = 0;         ///< checkOf() the members above
};
static_assert(sizeof(SamplesBlock) == 24);

inline uint32_t checkOf(const SamplesBlock& block) {
  return checksumOf(block.size, static_cast<uint32_t>(block.kind), block.number, block.payload_check);
}

/// Returns the payload of a sample's block: optimizer (4 bytes), step (8), time (8); the number of groups (4), and for
/// each the length of its name (4), the name and its collectives (8); the number of rows (4), and for each its
/// parameter (4), flags (1), gradient_summed_over (1; with the highest bit for is_gradient_whole; all bits: the
/// gradient has no place) and digests: the value's, and the gradient's if there is one. A digest is its bits (8), its
/// squares as float32 (4) and, in a row with sums, its sums as float32 (32). Then come the reductions, the
/// batch and the gaps: numbers and texts in the order of their members, and flags (1) before a reduction's digest. Each
/// list comes after its size (4).
std::string sampleToBytes(const Sample& sample);

/// Reads such a payload. `parameters`: how many the process has. Throws std::runtime_error.
Sample sampleFromBytes(std::string_view bytes, size_t parameters);

} // namespace commtap
