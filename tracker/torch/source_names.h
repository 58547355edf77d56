// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How Dynamo names the modules of a graph's nodes: "L['self'].layers.0" or "L['self'].layers[0]".

#include <string_view>

namespace commtap::torch_names {

/// Returns whether a source is that of `module`, or of one below it.
inline bool isBelow(std::string_view source, std::string_view module) {
  return source.starts_with(module) &&
         (source.size() == module.size() || source[module.size()] == '.' || source[module.size()] == '[');
}

} // namespace commtap::torch_names
