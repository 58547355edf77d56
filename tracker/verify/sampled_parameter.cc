// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/sampled_parameter.h"

#include <string_view>
#include <utility>
#include <vector>

#include "report/base/json_text.h"

namespace commtap {
namespace {

std::optional<bool> knownAttribute(int value) {
  return value < 0 ? std::nullopt : std::optional<bool>(value != 0);
}

/// Returns whether the parameter is an original one of FSDP1, in its unit's flat parameter.
bool isFlatPart(const CommtapSampledParameter& facts) {
  return *facts.flat_shape != '\0';
}

/// Returns the shape in a mesh's JSON text.
std::vector<int64_t> shapeOfMesh(std::string_view mesh) {
  constexpr std::string_view kStart = "\"shape\":";
  const size_t start = mesh.find(kStart);
  const size_t end = start == std::string_view::npos ? start : mesh.find(']', start);
  return end == std::string_view::npos
             ? std::vector<int64_t>()
             : integersFromJson(mesh.substr(start + kStart.size(), end + 1 - start - kStart.size()));
}

/// Returns the place of a DTensor's local tensor.
std::optional<PlacedShard> placeInMesh(const CommtapSampledParameter& facts, const char* placements) {
  return placeOfShard(
      {integersFromJson(facts.shape),
       shapeOfMesh(facts.mesh),
       integersFromJson(facts.coordinate),
       stringsFromJson(placements)});
}

} // namespace

SampledParameter sampledParameter(uint32_t optimizer, const CommtapSampledParameter& facts) {
  SampledParameter parameter;
  parameter.name = facts.name;
  parameter.optimizer = optimizer;
  parameter.is_in_optimizer = facts.is_in_optimizer != 0;
  parameter.is_buffer = facts.is_buffer != 0;
  parameter.has_model_name = facts.has_model_name != 0;
  parameter.shape = integersFromJson(isFlatPart(facts) ? facts.flat_shape : facts.shape);
  parameter.local_shape = integersFromJson(facts.local_shape);
  parameter.dtype = facts.dtype;
  parameter.requires_grad = facts.requires_grad != 0;
  parameter.mesh = facts.mesh;
  parameter.placements = stringsFromJson(facts.placements);
  parameter.coordinate = integersFromJson(facts.coordinate);
  parameter.tensor_model_parallel = knownAttribute(facts.tensor_model_parallel);
  parameter.sequence_parallel = knownAttribute(facts.sequence_parallel);
  parameter.allreduce = knownAttribute(facts.allreduce);
  parameter.ddp_ranks = integersFromJson(facts.ddp_ranks);
  parameter.is_fsdp1_flat = facts.is_fsdp1_flat != 0;
  return parameter;
}

std::string parameterKey(uint32_t optimizer, const CommtapSampledParameter& facts) {
  std::string key;
  for (const char* text :
       {facts.name,
        facts.shape,
        facts.local_shape,
        facts.dtype,
        facts.mesh,
        facts.placements,
        facts.coordinate,
        facts.ddp_ranks,
        facts.flat_shape}) {
    key += text;
    key += '\0';
  }
  for (const int number :
       {facts.is_in_optimizer,
        facts.is_buffer,
        facts.has_model_name,
        facts.requires_grad,
        facts.is_fsdp1_flat,
        facts.tensor_model_parallel,
        facts.sequence_parallel,
        facts.allreduce,
        static_cast<int>(optimizer)}) {
    key += std::to_string(number) + ",";
  }
  return key + std::to_string(facts.flat_start);
}

std::optional<TensorPlace> placeOfParameter(const CommtapSampledParameter& facts) {
  if (*facts.placements != '\0') {
    const std::optional<PlacedShard> placed = placeInMesh(facts, facts.placements);
    return placed && placed->summed_over == 0 ? std::optional(placed->place) : std::nullopt;
  }
  const std::vector<int64_t> local = integersFromJson(facts.local_shape);
  if (isFlatPart(facts)) {
    return flatPlace(elementsOf(integersFromJson(facts.flat_shape)), {facts.flat_start, elementsOf(local)});
  }
  const bool is_part = facts.is_fsdp1_flat != 0 || facts.tensor_model_parallel > 0;
  return is_part ? std::nullopt : std::optional(flatPlace(elementsOf(local), {0, elementsOf(local)}));
}

std::optional<PlacedShard> placeOfGradient(
    const CommtapSampledParameter& facts,
    const std::optional<TensorPlace>& place) {
  if (*facts.gradient_placements == '\0') {
    return place ? std::optional(PlacedShard{*place}) : std::nullopt;
  }
  std::optional<PlacedShard> placed = placeInMesh(facts, facts.gradient_placements);
  const bool is_comparable = placed && place && (placed->place.dims == place->dims || placed->place.isWhole());
  return is_comparable ? std::move(placed) : std::nullopt;
}

} // namespace commtap
