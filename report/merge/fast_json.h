// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <simdjson.h>

/// Reads typed fields of a document for FastReportReader. Throws simdjson_error or NotSure if a field is not as
/// reportToJson() writes it; FastReportReader::read() catches both.
namespace commtap::fast_json {

// simdjson's `ondemand` is compiled for the oldest processor; `dom` selects its kernels at run time.
namespace dom = simdjson::dom;

struct NotSure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename T>
T sure(std::optional<T> value) {
  if (!value) {
    throw NotSure("an unknown name");
  }
  return *value;
}

template <typename T>
T integer(dom::element value) {
  if constexpr (std::is_signed_v<T>) {
    const int64_t number = value.get_int64();
    return std::in_range<T>(number) ? static_cast<T>(number) : throw NotSure("a number too large");
  } else {
    const uint64_t number = value.get_uint64();
    return std::in_range<T>(number) ? static_cast<T>(number) : throw NotSure("a number too large");
  }
}

inline std::string text(dom::element value) {
  return std::string(std::string_view(value.get_string()));
}

/// Leaves an object with a repeated name to the slow reader. Its value of such a name is the last one, as in most JSON
/// readers; here it would be the first.
inline void checkNames(dom::object object) {
  std::vector<std::string_view> names;
  names.reserve(object.size());
  for (const dom::key_value_pair field : object) {
    names.push_back(field.key);
  }
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
    throw NotSure("a repeated name");
  }
}

} // namespace commtap::fast_json
