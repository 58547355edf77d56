// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/samples/samples.h"
#include "tracker/core/python_host.h"
#include "tracker/verify/tensor_place.h"

namespace commtap {

/// Returns the facts of a parameter, without its place.
SampledParameter sampledParameter(uint32_t optimizer, const CommtapSampledParameter& facts);

/// Returns a text that differs if any of these facts does.
std::string parameterKey(uint32_t optimizer, const CommtapSampledParameter& facts);

/// Returns where a parameter's local tensor is; nullopt if that is not known: an FSDP1 flat parameter, a shard of
/// Megatron's, a DTensor with a placement of another kind.
std::optional<TensorPlace> placeOfParameter(const CommtapSampledParameter& facts);

/// Returns where the local tensor of a parameter's gradient is: the place of the parameter's, `place`, or all of it;
/// nullopt for any other.
std::optional<PlacedShard> placeOfGradient(
    const CommtapSampledParameter& facts,
    const std::optional<TensorPlace>& place);

} // namespace commtap
