// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The format of a samples file: a head, then blocks, each a SamplesBlock and its payload. Numbers are those of the
// machine, little-endian, without padding.
//
//  - The first block is the process's job: the head of its report, as JSON text.
//  - A block of parameters has those that the next sample names first: JSON text, see sampled_parameters.h. They are
//    numbered through the file, from 0.
//  - A block of a sample is binary, see sample_block.h.
//
// A writer only appends. So a file that ends early is cut, and any other difference is damage.

#include <array>
#include <cstddef>
#include <cstdint>

#include "report/base/checksum.h"

namespace commtap {

inline constexpr std::array<char, 8> kSamplesMagic = {'c', 't', 's', 'a', 'm', 'p', 'l', '\n'};
/// A change of any layout changes it.
inline constexpr uint32_t kSamplesVersion = 2;

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

} // namespace commtap
