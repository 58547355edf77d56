// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/sampled_parameters.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "report/base/json_text.h"
#include "report/json/json_cursor.h"
#include "report/json/json_row.h"

namespace commtap {
namespace {

constexpr const char* kMeshes = "meshes";
constexpr const char* kRankLists = "rank_lists";
constexpr const char* kParameterList = "parameters";

constexpr const char* kName = "name";
constexpr const char* kOptimizer = "optimizer";
constexpr const char* kInOptimizer = "in_optimizer";
constexpr const char* kModelName = "model_name";
constexpr const char* kShape = "shape";
constexpr const char* kLocalShape = "local_shape";
constexpr const char* kDtype = "dtype";
constexpr const char* kRequiresGrad = "requires_grad";
constexpr const char* kMesh = "mesh"; ///< index
constexpr const char* kPlacements = "placements";
constexpr const char* kCoordinate = "coordinate";
constexpr const char* kTensorModelParallel = "tensor_model_parallel";
constexpr const char* kSequenceParallel = "sequence_parallel";
constexpr const char* kAllreduce = "allreduce";
constexpr const char* kDdpRanks = "ddp"; ///< index
constexpr const char* kFsdp1Flat = "fsdp1_flat";

constexpr std::string_view kUsualDtype = "float32";

/// Values that parameters share. The list is short: searching it takes less than a table would.
template <typename Value>
class Shared {
 public:
  size_t indexOf(const Value& value) {
    const auto found = std::find(values_.begin(), values_.end(), value);
    if (found == values_.end()) {
      values_.push_back(value);
      return values_.size() - 1;
    }
    return static_cast<size_t>(found - values_.begin());
  }
  const std::vector<Value>& values() const {
    return values_;
  }

 private:
  std::vector<Value> values_;
};

struct SharedValues {
  Shared<std::string> meshes;
  Shared<std::vector<int64_t>> rank_lists;
};

void addIfOther(JsonRow& row, const char* name, bool value, bool usual) {
  if (value != usual) {
    row.addBool(name, value);
  }
}

void addIfKnown(JsonRow& row, const char* name, std::optional<bool> value) {
  if (value) {
    row.addBool(name, *value);
  }
}

void addDeclarations(JsonRow& row, const SampledParameter& parameter, SharedValues& shared) {
  if (!parameter.mesh.empty()) {
    row.addNumber(kMesh, shared.meshes.indexOf(parameter.mesh));
  }
  if (!parameter.placements.empty()) {
    row.addTexts(kPlacements, parameter.placements);
  }
  if (!parameter.coordinate.empty()) {
    row.addNumbers(kCoordinate, parameter.coordinate);
  }
  addIfKnown(row, kTensorModelParallel, parameter.tensor_model_parallel);
  addIfKnown(row, kSequenceParallel, parameter.sequence_parallel);
  addIfKnown(row, kAllreduce, parameter.allreduce);
  if (!parameter.ddp_ranks.empty()) {
    row.addNumber(kDdpRanks, shared.rank_lists.indexOf(parameter.ddp_ranks));
  }
  addIfOther(row, kFsdp1Flat, parameter.is_fsdp1_flat, false);
}

void appendParameter(std::string& text, const SampledParameter& parameter, SharedValues& shared) {
  JsonRow row(text);
  row.addText(kName, parameter.name);
  row.addNumbers(kShape, parameter.shape);
  if (parameter.local_shape != parameter.shape) {
    row.addNumbers(kLocalShape, parameter.local_shape);
  }
  if (parameter.optimizer != 0) {
    row.addNumber(kOptimizer, parameter.optimizer);
  }
  addIfOther(row, kInOptimizer, parameter.is_in_optimizer, true);
  addIfOther(row, kModelName, parameter.has_model_name, true);
  if (parameter.dtype != kUsualDtype) {
    row.addText(kDtype, parameter.dtype);
  }
  addIfOther(row, kRequiresGrad, parameter.requires_grad, true);
  addDeclarations(row, parameter, shared);
}

std::vector<int64_t> integersAt(const JsonCursor& cursor) {
  return cursor.items<int64_t>([](const JsonCursor& item) { return item.integer<int64_t>(); });
}

std::vector<int64_t> integersIfAny(const JsonCursor& cursor, const char* name) {
  return cursor.has(name) ? integersAt(cursor.at(name)) : std::vector<int64_t>();
}

std::optional<bool> booleanIfAny(const JsonCursor& cursor, const char* name) {
  return cursor.has(name) ? std::optional(cursor.at(name).boolean()) : std::nullopt;
}

std::string stringAt(const JsonCursor& cursor) {
  return cursor.string();
}

/// Returns the shared value whose index is the field `name`; the default value if there is no such field.
template <typename Value>
Value sharedAt(const JsonCursor& cursor, const char* name, const std::vector<Value>& values) {
  if (!cursor.has(name)) {
    return {};
  }
  const auto index = cursor.number<size_t>(name);
  if (index >= values.size()) {
    cursor.at(name).wrong("the number of a shared value");
  }
  return values[index];
}

SampledParameter parameterFrom(
    const JsonCursor& cursor,
    const std::vector<std::string>& meshes,
    const std::vector<std::vector<int64_t>>& rank_lists) {
  SampledParameter parameter;
  parameter.name = cursor.text(kName);
  parameter.optimizer = cursor.optionalNumber<uint32_t>(kOptimizer).value_or(0);
  parameter.is_in_optimizer = booleanIfAny(cursor, kInOptimizer).value_or(true);
  parameter.has_model_name = booleanIfAny(cursor, kModelName).value_or(true);
  parameter.shape = integersAt(cursor.at(kShape));
  parameter.local_shape = cursor.has(kLocalShape) ? integersAt(cursor.at(kLocalShape)) : parameter.shape;
  parameter.dtype = cursor.has(kDtype) ? cursor.text(kDtype) : std::string(kUsualDtype);
  parameter.requires_grad = booleanIfAny(cursor, kRequiresGrad).value_or(true);
  parameter.mesh = sharedAt(cursor, kMesh, meshes);
  if (cursor.has(kPlacements)) {
    parameter.placements = cursor.list<std::string>(kPlacements, stringAt);
  }
  parameter.coordinate = integersIfAny(cursor, kCoordinate);
  parameter.tensor_model_parallel = booleanIfAny(cursor, kTensorModelParallel);
  parameter.sequence_parallel = booleanIfAny(cursor, kSequenceParallel);
  parameter.allreduce = booleanIfAny(cursor, kAllreduce);
  parameter.ddp_ranks = sharedAt(cursor, kDdpRanks, rank_lists);
  parameter.is_fsdp1_flat = booleanIfAny(cursor, kFsdp1Flat).value_or(false);
  return parameter;
}

} // namespace

std::string parametersToJson(std::span<const SampledParameter> parameters) {
  SharedValues shared;
  std::string list;
  for (const SampledParameter& parameter : parameters) {
    list += list.empty() ? "" : ",";
    appendParameter(list, parameter, shared);
  }
  std::string text;
  {
    JsonRow row(text);
    row.addTexts(kMeshes, shared.meshes.values());
    row.addJson(kRankLists, shared.rank_lists.values());
  }
  text.back() = ','; // the brace
  return text + '"' + kParameterList + "\":[" + list + "]}";
}

std::vector<SampledParameter> parametersFromJson(std::string_view text) {
  if (nestsTooDeeply(text)) {
    throw std::runtime_error("the values are nested too deeply");
  }
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const JsonCursor root(document, "parameters");
  const auto meshes = root.list<std::string>(kMeshes, stringAt);
  const auto rank_lists = root.list<std::vector<int64_t>>(kRankLists, integersAt);
  return root.list<SampledParameter>(
      kParameterList, [&](const JsonCursor& item) { return parameterFrom(item, meshes, rank_lists); });
}

} // namespace commtap
