// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace commtap {

/// The module of code outside of every module; the parent of every root module.
inline constexpr const char* kGlobalName = "Global";

/// Builds full names from parents and components: "MLPModule" + "net1" is "MLPModule.net1". The raw name has all
/// components. The clean name omits those of wrappers (`_orig_mod`, `_fsdp_wrapped_module`,
/// `_checkpoint_wrapped_module`, DDP's `module`) and begins with the class that the user wrote, so a model has the same
/// clean names with and without wrappers.
class ModuleNames {
 public:
  /// Adds the module with the next id. Module 0 is Global, which is not a component of other names. `clean` replaces
  /// the component in clean names, unless it is "".
  void add(uint32_t parent, std::string component, bool wrapper, std::string clean = {});

  std::string clean(uint32_t id) const {
    return name(id, Form::kClean);
  }
  std::string raw(uint32_t id) const {
    return name(id, Form::kRaw);
  }

 private:
  enum class Form : uint8_t { kClean, kRaw };
  struct Node {
    uint32_t parent;
    std::string component;
    bool wrapper;
    std::string clean;
  };

  std::string name(uint32_t id, Form form) const;

  std::vector<Node> nodes_;
};

/// Makes names unique: returns "0#2" for the second "0".
class UniqueNames {
 public:
  std::string make(const std::string& name);

 private:
  std::unordered_map<std::string, uint32_t> seen_;
};

} // namespace commtap
