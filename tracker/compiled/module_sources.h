// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace commtap {

/// A module as Dynamo names it, in parts.
struct SourceParts {
  std::string root;     ///< the object that the source begins with: "L['self']"; "" for the compiled module
  std::string path;     ///< below the object that the source begins with: "layers.0.down"; "" for that object
  bool is_entry = true; ///< that object is the module that was compiled: "L['self']", or nothing
};

/// Splits a source such as "L['self'].layers[0].down".
SourceParts partsOf(std::string_view source);

} // namespace commtap
