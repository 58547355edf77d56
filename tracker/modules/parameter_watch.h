// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace commtap {

/// Sees that a parameter of a model was changed in place between two outermost calls of the model: the sign of a step
/// where no optimizer is seen. Looks for a parameter once per module, since that takes microseconds, and keeps no
/// tensor alive. The caller of every method holds the GIL.
class ParameterWatch {
 public:
  /// The Python part's trained_parameter.
  using FindParameter = void* (*)(void* module);

  /// The models whose parameters are watched: the first ones that have a parameter to train.
  static constexpr size_t kMostModels = 8;

  /// Notes that the outermost call of a module begins. `object` is the module's Python object. Ignores calls without
  /// gradients and calls that a backward makes. May throw.
  static void callBegins(uint32_t module, void* object, FindParameter find);
};

} // namespace commtap
