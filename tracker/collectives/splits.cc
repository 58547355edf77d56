// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/splits.h"

#include <algorithm>
#include <string_view>

#include "report/model/saturating.h"
#include "report/model/splits.h"
#include "tracker/collectives/payload.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

std::optional<size_t> argumentOfType(const c10::FunctionSchema& schema, std::string_view name, std::string_view type) {
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    if (argument.name() == name && std::string_view(argument.type()->str()).substr(0, type.size()) == type) {
      return i;
    }
  }
  return std::nullopt;
}

SplitFacts listsOf(const c10::FunctionSchema& schema) {
  constexpr std::string_view kList = "Tensor[]";
  if (schema.name() == "c10d::alltoall_") {
    return {
        SplitForm::kLists,
        argumentOfType(schema, "input_tensors", kList),
        argumentOfType(schema, "output_tensors", kList)};
  }
  if (schema.name() == "c10d::allgather_") {
    return {SplitForm::kUnevenLists, argumentOfType(schema, "output_tensors", kList), std::nullopt};
  }
  if (schema.name() == "c10d::reduce_scatter_") {
    return {SplitForm::kUnevenLists, argumentOfType(schema, "input_tensors", kList), std::nullopt};
  }
  return {};
}

/// Calls visit(size) for each number of a list. Stops and returns false at one that is not a plain integer.
template <typename Visit>
bool forEachNumber(const c10::IValue& list, const Visit& visit) {
  if (!list.isList()) {
    return true;
  }
  for (const c10::IValue& item : list.toListRef()) {
    if (!item.isInt() || item.toInt() < 0) {
      return false;
    }
    visit(static_cast<uint64_t>(item.toInt()));
  }
  return true;
}
template <typename Visit>
bool forEachNumber(const Argument& list, const Visit& visit) {
  const auto* const numbers = static_cast<const int64_t*>(list.data);
  const bool is_list = list.type == Argument::Type::kIntegers;
  return std::all_of(numbers, numbers + (is_list ? list.number : 0), [&visit](int64_t number) {
    visit(static_cast<uint64_t>(number));
    return number >= 0;
  });
}

/// Calls visit(size) for each part. Returns false if one is not a plain integer; it may have visited others.
template <typename AnyArgument, typename Visit>
bool forEachPart(SplitForm form, const AnyArgument& argument, const Visit& visit) {
  if (form == SplitForm::kSizes) {
    return forEachNumber(argument, visit);
  }
  return forEachTensor(argument, [&visit](const at::Tensor& tensor) {
    visit(tensor.defined() ? bytesOf(tensor) : 0);
    return true;
  });
}

template <typename AnyArgument>
SplitSizes sizesOf(SplitForm form, const AnyArgument* arguments, std::optional<size_t> argument) {
  SplitSizes sizes;
  if (argument) {
    sizes.are_plain = forEachPart(form, arguments[*argument], [&sizes](uint64_t size) {
      ++sizes.parts;
      sizes.sum += size;
      sizes.largest = std::max(sizes.largest, size);
      sizes.smallest = std::min(sizes.smallest, size);
      sizes.zeros += size == 0 ? 1 : 0;
    });
  }
  return sizes;
}

/// Returns the number of parts of a call; 0 if it has no split sizes that count.
uint32_t partsOf(SplitForm form, const SplitSizes& parts, const SplitSizes& other, uint32_t group_size) {
  const uint64_t count = std::max(parts.parts, other.parts);
  const auto fits = [count](const SplitSizes& sizes) {
    return sizes.are_plain && (sizes.parts == 0 || sizes.parts == count);
  };
  const bool is_even_list = form == SplitForm::kUnevenLists && parts.smallest == parts.largest;
  const bool is_of_group = group_size == 0 ? count <= kMaxRank : count == group_size;
  return fits(parts) && fits(other) && is_of_group && !is_even_list ? static_cast<uint32_t>(count) : 0;
}

} // namespace

SplitFacts splitFactsOf(const c10::FunctionSchema& schema, Kind kind) {
  constexpr std::string_view kNumbers = "int[]";
  const std::optional<size_t> sent = argumentOfType(schema, "input_split_sizes", kNumbers);
  const std::optional<size_t> received = argumentOfType(schema, "output_split_sizes", kNumbers);
  return kind == Kind::kAllToAll && sent && received ? SplitFacts{SplitForm::kSizes, sent, received} : listsOf(schema);
}

template <typename AnyArgument>
void countSplits(
    const SplitFacts& facts,
    const AnyArgument* arguments,
    const LedgerCollective& row,
    uint64_t bytes,
    uint32_t group_size) {
  const SplitSizes parts = sizesOf(facts.form, arguments, facts.parts);
  const SplitSizes other = sizesOf(facts.form, arguments, facts.other);
  const uint32_t count = partsOf(facts.form, parts, other, group_size);
  LedgerWriter& ledger = ProcessLedger::ledger();
  LedgerSplits* splits = count == 0 ? nullptr : ledger.splitsOf(ledger.numberOf(&row), count, row.key.op);
  if (splits == nullptr) {
    return;
  }
  const bool is_even = parts.parts == 0; // equal parts of what the call names no sizes for
  const uint64_t zeros = is_even ? (bytes == 0 ? count : 0) : parts.zeros;
  const uint64_t unit = facts.form != SplitForm::kSizes ? 1 : parts.sum == 0 ? 0 : bytes / parts.sum; // bytes per size
  const uint64_t received = productSaturating(other.sum, unit);
  LedgerWriter::countSplits(
      *splits,
      std::max(imbalanceOf(count, parts.sum, parts.largest), imbalanceOf(count, other.sum, other.largest)),
      zeros,
      received - std::min(received, bytes));
  LedgerSplitPeer* peer = ledger.peersOf(*splits);
  if (peer == nullptr) {
    return;
  }
  const auto add = [&peer](uint64_t size) { (peer++)->bytes.fetch_add(size, std::memory_order_relaxed); };
  if (is_even) {
    for (uint32_t i = 0; i < count; ++i) {
      add(bytes / count);
    }
    return;
  }
  forEachPart(facts.form, arguments[*facts.parts], [&add, unit](uint64_t size) { add(size * unit); });
}

template void countSplits(const SplitFacts&, const c10::IValue*, const LedgerCollective&, uint64_t, uint32_t);
template void countSplits(const SplitFacts&, const Argument*, const LedgerCollective&, uint64_t, uint32_t);

} // namespace commtap
