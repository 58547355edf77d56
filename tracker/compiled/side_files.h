// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace commtap {

/// commtap's own files next to Inductor's cache: the text of GraphLines for each generated file, whose hash is the
/// file's name. Inductor drops the names of modules from its cache, so a process that takes a graph from there asks
/// here.
///
/// The folder is "commtap-UID" in Inductor's, and only this user can write to it. A file is written whole or not at
/// all, whichever ranks write it at once.
class SideFiles {
 public:
  static constexpr size_t kMost = 16384; ///< in a folder; the oldest make room for new ones

  /// `cache` is Inductor's folder.
  explicit SideFiles(const std::string& cache);

  /// Writes a file unless it is there. Returns "", or why it cannot be written.
  std::string write(const std::string& key, std::string_view lines) const;

  /// Returns the lines of a file; nullopt if there is none, if another user can have written it, or if it is damaged.
  std::optional<std::string> read(const std::string& key) const;

 private:
  std::string pathOf(const std::string& key) const;

  std::string folder_;
};

} // namespace commtap
