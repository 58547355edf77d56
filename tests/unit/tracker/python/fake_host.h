// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tracker/core/python_host.h"

namespace commtap {

struct FakeModule {
  uint32_t parent = 0;
  std::string component{};
  std::string class_name{};
  std::string clean{};
  uint32_t wrapped = kCommtapUnknownModule;
  uint8_t role = kCommtapPlain;
  bool is_wrapper = false;
  bool has_died = false;
};

struct FakeParameter {
  uint32_t module = 0;
  std::string name{};
  std::string shape{};
  std::string local_shape{};
  std::string dtype{};
  std::string mesh{};
  std::string placements{};
  bool requires_grad = false;

  bool operator==(const FakeParameter&) const = default;
};

/// A generated file, and the lines that the Python part found in it.
struct FakeGraph {
  std::string folder{}; ///< "" for a file that was loaded from the cache
  std::string file{};   ///< its key, or its path
  std::string lines{};
};

/// Records what the Python part reports to the tracker.
struct FakeHost {
  std::vector<FakeModule> modules{FakeModule{}}; ///< by id; the first is Global
  size_t capacity = 1000;                        ///< modules with an id
  bool has_memory = true;
  uint32_t current = 0; ///< the module that calls
  std::map<const void*, uint32_t> ids{};
  std::vector<FakeParameter> parameters{};
  std::vector<std::pair<uint32_t, void*>> owned{}; ///< tensors, each with its module
  std::vector<std::string> not_seen{};
  std::vector<std::string> missing{}; ///< hooks
  std::vector<std::string> events{};  ///< labels, groups, set-ups and module calls, in their order
  std::vector<FakeGraph> graphs{};
  bool wants_graphs = true;
  int compiled_code = 0;    ///< how often it was found
  int plain_tensors = 0;    ///< the depth of begin_plain_tensors()
  int plain_tensors_at = 0; ///< how often the depth was 1
  CommtapVectorcall original = nullptr;
};

/// Returns the tracker of this test program.
FakeHost& fakeHost();
/// Returns its functions, which record into fakeHost().
const CommtapHost& fakeHostTable();

/// Begins a test with an empty fakeHost().
class HostFixture {
 public:
  HostFixture();
};

} // namespace commtap
