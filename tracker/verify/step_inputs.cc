// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/step_inputs.h"

#include <algorithm>
#include <utility>

#include <c10/core/ScalarType.h>
#include <c10/core/ScalarTypeToTypeMeta.h>

#include "tracker/verify/digest_terms.h"
#include "tracker/verify/tensor_digest.h"

namespace commtap {
namespace {

using WeakStorage = c10::weak_intrusive_ptr<c10::StorageImpl>;

constexpr int64_t kFewestNumbers = 4; ///< of a row that counts: fewer are alike in other data too

/// A row of several tensors.
struct InputRow {
  uint64_t hash = 0;
  bool is_constant = true;

  void add(const Digest& digest, size_t tensor) {
    hash = digestHash(hash ^ digest.bits, tensor);
    is_constant &= digest.is_constant;
  }
};

} // namespace

std::vector<StepInputs::Reduced>
StepInputs::read(const ReductionCall& call, std::span<const c10::TensorImpl* const> tensors, uint64_t& unread) {
  std::vector<Reduced> all;
  for (size_t part = 0; part < tensors.size(); ++part) {
    const c10::TensorImpl& tensor = *tensors[part];
    if (!c10::isFloatingType(c10::typeMetaToScalarType(tensor.dtype()))) {
      continue;
    }
    const std::optional<Digest> digest = digestOfTensor(tensor);
    if (!digest) {
      ++unread;
      continue;
    }
    all.push_back(
        {{call.group,
          call.sequence,
          static_cast<uint32_t>(part),
          call.module,
          static_cast<uint64_t>(tensor.numel()),
          call.is_gradient,
          *digest},
         call.is_gradient ? WeakStorage(c10::intrusive_ptr<c10::StorageImpl>())
                          : tensor.unsafe_storage().getWeakStorageImpl()});
  }
  return all;
}

std::optional<SampledBatch> StepInputs::readRows(std::span<const c10::TensorImpl* const> tensors) {
  std::vector<InputRow> rows;
  int64_t numbers = 0; // of a row
  for (size_t i = 0; i < tensors.size(); ++i) {
    const c10::TensorImpl& tensor = *tensors[i];
    const bool fits = tensor.dim() > 0 && (rows.empty() || tensor.size(0) == static_cast<int64_t>(rows.size()));
    const std::vector<Digest> digests = fits ? digestsOfRows(tensor) : std::vector<Digest>();
    if (digests.empty()) {
      continue;
    }
    numbers += tensor.numel() / tensor.size(0);
    rows.resize(digests.size());
    for (size_t row = 0; row < rows.size(); ++row) {
      rows[row].add(digests[row], i);
    }
  }
  if (rows.empty()) {
    return std::nullopt;
  }
  SampledBatch batch;
  for (const InputRow& row : rows) {
    if (!row.is_constant && numbers >= kFewestNumbers) {
      ++batch.rows;
      batch.sum += row.hash;
      batch.hashes.push_back(row.hash);
    }
  }
  return batch;
}

void StepInputs::add(std::vector<Reduced> reduced) {
  for (Reduced& each : reduced) {
    if (!hasRoom()) {
      addGap(kTooManyReductions);
      continue;
    }
    if (!each.reduction.is_gradient) {
      by_storage_[each.storage._unsafe_get_target()].push_back(reductions_.size());
    }
    reductions_.push_back(std::move(each));
  }
}

void StepInputs::add(const SampledBatch& rows) {
  batch_.rows += rows.rows;
  batch_.sum += rows.sum;
  batch_.hashes.insert(batch_.hashes.end(), rows.hashes.begin(), rows.hashes.end());
  std::sort(batch_.hashes.begin(), batch_.hashes.end());
  batch_.hashes.resize(std::min(batch_.hashes.size(), SampledBatch::kMostHashes));
}

void StepInputs::addGap(std::string_view why, uint64_t count) {
  const auto known = std::find_if(gaps_.begin(), gaps_.end(), [why](const SampledGap& gap) { return gap.why == why; });
  if (known == gaps_.end()) {
    gaps_.push_back({std::string(why), count});
  } else {
    known->count += count;
  }
}

void StepInputs::noteGradient(const c10::TensorImpl& gradient, std::string_view parameter) {
  gradient_elements_ += static_cast<uint64_t>(gradient.numel());
  const auto found =
      gradient.has_storage() ? by_storage_.find(gradient.unsafe_storage().unsafeGetStorageImpl()) : by_storage_.end();
  if (found == by_storage_.end()) {
    return;
  }
  for (const size_t place : found->second) {
    SampledReduction& reduction = reductions_[place].reduction;
    reduction.is_gradient = true;
    if (reduction.elements == static_cast<uint64_t>(gradient.numel())) { // else it is a buffer of several
      reduction.module = parameter;
    }
  }
}

void StepInputs::moveTo(Sample& sample) {
  for (Reduced& each : reductions_) {
    sample.reductions.push_back(std::move(each.reduction));
  }
  sample.gradient_elements = gradient_elements_;
  sample.batch = std::move(batch_);
  sample.gaps = std::move(gaps_);
  *this = StepInputs();
}

} // namespace commtap
