// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

namespace commtap {

/// Defines an op that this torch, or a library, would define; other versions of torch have it already.
inline void define(const std::string& space, const std::string& schema) {
  const std::string name = space + "::" + schema.substr(0, schema.find('('));
  if (!c10::Dispatcher::singleton().findSchema({name, ""})) {
    static auto* libraries = new std::vector<torch::Library>(); // leaked on purpose: the ops stay defined
    libraries->emplace_back(torch::Library::FRAGMENT, space, std::nullopt, __FILE__, __LINE__);
    libraries->back().def(torch::schema(schema.c_str()));
  }
}

inline c10::OperatorHandle handleOf(std::string_view name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(std::string(name).c_str(), "");
}

} // namespace commtap
