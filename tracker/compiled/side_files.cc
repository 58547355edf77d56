// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/side_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "report/base/atomic_file.h"
#include "report/base/checksum.h"
#include "report/base/text_file.h"
#include "tracker/compiled/graph_lines.h"

namespace commtap {
namespace {

constexpr std::string_view kHead = "commtap graph 2 ";
constexpr std::string_view kEnding = ".txt";

/// Returns the first line of a file: what it is, the key and a checksum of the lines.
std::string headOf(const std::string& key, std::string_view lines) {
  Checksum sum;
  sum.add(lines);
  return std::string(kHead) + key + " " + std::to_string(sum.value()) + "\n";
}

/// Returns whether a folder is this user's, and no other user can write to it.
bool isOwn(const struct stat& facts) {
  return S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}
bool isOwn(const std::string& folder) {
  struct stat facts = {};
  return lstat(folder.c_str(), &facts) == 0 && isOwn(facts);
}

bool isName(std::string_view key) {
  constexpr size_t kLongest = 200;
  return !key.empty() && key.size() <= kLongest && std::all_of(key.begin(), key.end(), [](unsigned char each) {
    return std::isalnum(each) != 0 || each == '_' || each == '-';
  });
}

/// Returns whether a file is a side file by its name, or the temporary file that becomes one.
bool isSideFile(std::string_view name) {
  const size_t end = name.find(kEnding);
  return end != std::string_view::npos && isName(name.substr(0, end)) &&
         (end + kEnding.size() == name.size() || name.ends_with(".tmp"));
}

/// Removes the older half of the files if there are too many. Holds the folder open: its path can name another one.
void makeRoom(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(folder.c_str()), closedir);
  const int fd = listing == nullptr ? -1 : dirfd(listing.get());
  struct stat facts = {};
  if (fd < 0 || fstat(fd, &facts) != 0 || !isOwn(facts)) {
    return;
  }
  std::vector<std::pair<timespec, std::string>> files;
  while (const dirent* entry = readdir(listing.get())) {
    if (isSideFile(entry->d_name) && fstatat(fd, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(facts.st_mode)) {
      files.emplace_back(facts.st_mtim, entry->d_name);
    }
  }
  if (files.size() < SideFiles::kMost) {
    return;
  }
  std::sort(files.begin(), files.end(), [](const auto& one, const auto& other) {
    return std::pair(one.first.tv_sec, one.first.tv_nsec) < std::pair(other.first.tv_sec, other.first.tv_nsec);
  });
  for (size_t i = 0; i < files.size() / 2; ++i) {
    unlinkat(fd, files[i].second.c_str(), 0);
  }
}

} // namespace

SideFiles::SideFiles(const std::string& cache) : folder_(cache + "/commtap-" + std::to_string(geteuid())) {}

std::string SideFiles::pathOf(const std::string& key) const {
  return folder_ + "/" + key + std::string(kEnding);
}

std::string SideFiles::write(const std::string& key, std::string_view lines) const {
  constexpr mode_t kMode = 0700;
  if (!isName(key) || lines.size() > GraphLines::kMaxBytes) {
    return key + ": not written";
  }
  if (mkdir(folder_.c_str(), kMode) != 0 && errno != EEXIST) {
    return folder_ + ": " + std::strerror(errno);
  }
  if (!isOwn(folder_)) {
    return folder_ + ": other users can write to it";
  }
  if (read(key) == lines) {
    return "";
  }
  makeRoom(folder_);
  return writeFileAtomically(pathOf(key), headOf(key, lines) + std::string(lines));
}

std::optional<std::string> SideFiles::read(const std::string& key) const {
  if (!isName(key) || !isOwn(folder_)) {
    return std::nullopt;
  }
  const Result<std::string> file = readStartOfFile(pathOf(key), GraphLines::kMaxBytes + kHead.size() + 512);
  const size_t head = file ? file->find('\n') : std::string::npos;
  if (head == std::string::npos) {
    return std::nullopt;
  }
  std::string lines = file->substr(head + 1);
  return file->compare(0, head + 1, headOf(key, lines)) == 0 ? std::optional(std::move(lines)) : std::nullopt;
}

} // namespace commtap
