// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace commtap {

/// A new folder that only this user can read. It is removed with the object.
class TemporaryFolder {
 public:
  /// `start`: the start of the folder's path.
  explicit TemporaryFolder(const std::string& start) : path_(start + "-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
      path_.clear();
    }
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) {
      std::filesystem::remove_all(path_, error);
    }
  }

  /// Returns "" if the folder could not be made; errno says why.
  const std::string& path() const {
    return path_;
  }

 private:
  std::string path_;
};

} // namespace commtap
