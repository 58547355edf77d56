// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <new>
#include <string>

#include "report/base/result.h"

namespace commtap {

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
