// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace commtap {

/// A value or a one-line error that says what was found and what to do. No exception crosses a folder's border.
template <typename T>
class Result {
 public:
  // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved from
  static Result failure(std::string error) {
    Result result;
    result.error_ = std::move(error);
    return result;
  }

  // Implicit on purpose: a function succeeds with `return value;`.
  Result(T value) : value_(std::move(value)) {} // NOLINT(google-explicit-constructor)

  explicit operator bool() const {
    return value_.has_value();
  }
  T& operator*() {
    return *value_;
  }
  const T& operator*() const {
    return *value_;
  }
  T* operator->() {
    return &*value_;
  }
  const T* operator->() const {
    return &*value_;
  }
  const std::string& error() const {
    return error_;
  }

 private:
  Result() = default;

  std::optional<T> value_;
  std::string error_;
};

/// Returns the result of `read`, which reads the file at `path`. Turns an exception, such as std::bad_alloc for a file
/// that does not fit into memory, into an error with the path.
template <typename T, typename Read>
Result<T> catchErrors(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    return Result<T>::failure(path + ": not enough memory to read it");
  } catch (const std::exception& error) {
    return Result<T>::failure(path + ": " + error.what());
  }
}

} // namespace commtap
