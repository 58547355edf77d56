// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/listed_tensors.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "tracker/collectives/payload.h"
#include "tracker/collectives/tensors.h"

namespace commtap {
namespace {

using Tensors = std::vector<const at::Tensor*>;

template <typename AnyArgument>
Tensors tensorsIn(const AnyArgument& argument) {
  Tensors tensors;
  forEachTensor(argument, [&tensors](const at::Tensor& tensor) {
    if (tensor.defined()) {
      tensors.push_back(&tensor);
    }
    return true;
  });
  return tensors;
}

template <typename AnyArgument>
bool hasSeveral(const AnyArgument& argument) {
  int count = 0;
  return !forEachTensor(argument, [&count](const at::Tensor& /*tensor*/) { return ++count < 2; });
}

/// Adds the tensors of an argument, after those of one that is not shorter: one for each of them if there are as many.
void addList(const Tensors& list, size_t longest, std::vector<ListedTensors::One>& all) {
  const bool is_first = all.empty();
  for (size_t i = 0; i < list.size(); ++i) {
    if (!is_first && list.size() == longest) {
      all[i].other = list[i];
    } else {
      all.push_back({list[i], nullptr, is_first ? bytesOf(*list[i]) : 0});
    }
  }
}

} // namespace

template <typename AnyArgument>
std::unique_ptr<ListedTensors> listTensors(const OpFacts& facts, const AnyArgument* arguments) {
  const std::optional<size_t>& payload = facts.payload_argument;
  const auto isList = [arguments](const std::optional<size_t>& place) {
    return place && hasSeveral(arguments[*place]);
  };
  if (!payload || isPointToPoint(facts.kind) || facts.payload == PayloadRule::kMatrixProduct ||
      !(isList(payload) || isList(facts.input_argument) || isList(facts.output_argument))) {
    return nullptr;
  }
  std::vector<Tensors> lists = {tensorsIn(arguments[*payload])};
  for (const std::optional<size_t>& place : {facts.input_argument, facts.output_argument}) {
    if (place && place != payload) {
      lists.push_back(tensorsIn(arguments[*place]));
    }
  }
  std::stable_sort(lists.begin(), lists.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  auto listed = std::make_unique<ListedTensors>();
  for (const Tensors& list : lists) {
    addList(list, lists.front().size(), listed->tensors);
  }
  for (const at::Tensor* tensor : tensorsIn(arguments[facts.input_argument.value_or(*payload)])) {
    listed->sent += tensor->numel();
  }
  return listed;
}

template std::unique_ptr<ListedTensors> listTensors(const OpFacts&, const c10::IValue*);
template std::unique_ptr<ListedTensors> listTensors(const OpFacts&, const Argument*);

} // namespace commtap
