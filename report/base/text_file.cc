// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/text_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "report/base/decompression.h"
#include "report/base/file_descriptor.h"
#include "report/base/json_text.h"

namespace commtap {
namespace {

std::atomic<uint64_t> max_input_size{kDefaultMaxInputSize};

/// Opening a pipe must not block, and a terminal must not become this process's own.
constexpr int kOpenSafely = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

/// Returns whether the kernel makes the file's content: reading it can block or have effects.
bool isOfKernel(const std::string& path) {
  struct statfs facts {};
  if (statfs(path.c_str(), &facts) != 0) {
    return false;
  }
  const auto type = static_cast<uint64_t>(facts.f_type);
  return type == PROC_SUPER_MAGIC || type == SYSFS_MAGIC || type == DEBUGFS_MAGIC || type == TRACEFS_MAGIC ||
         type == SECURITYFS_MAGIC || type == CGROUP2_SUPER_MAGIC;
}

/// Returns "" for an open regular file, whose facts it returns, else the reason with the path.
std::string whyNotRegular(const std::string& path, const FileDescriptor& file, struct stat& facts) {
  if (!file.isOpen()) {
    return path + " cannot be opened: " + std::strerror(errno);
  }
  return fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode) ? path + " is not a regular file" : "";
}

/// Returns the first `size` bytes of an input as they are in the file.
Result<std::string> readStored(const std::string& path, size_t size) {
  if (std::string error = whyNotInput(path); !error.empty()) {
    return Result<std::string>::failure(std::move(error));
  }
  const FileDescriptor file(open(path.c_str(), kOpenSafely));
  return readRegularFile(path, file, size);
}

std::string tooLarge(const std::string& path, uint64_t size) {
  return path + " has " + std::to_string(size) + " bytes, but --max-file-size is " + std::to_string(maxInputSize());
}

Result<std::string> withPath(const std::string& path, Result<std::string> text) {
  return text ? std::move(text) : Result<std::string>::failure(path + ' ' + text.error());
}

/// Returns the content of an input, decompressed, in at most `memory` bytes. `read_stored` returns the first bytes of
/// the file as they are in it.
template <typename ReadStored>
Result<std::string> readText(const std::string& path, uint64_t memory, const ReadStored& read_stored) {
  constexpr size_t kStart = 4096; // bytes
  Result<std::string> start = read_stored(kStart);
  if (start && isCompressed(*start)) {
    const Result<std::string> stored = read_stored(memory);
    return stored ? withPath(path, decompress(*stored, memory - std::min<uint64_t>(stored->size(), memory))) : stored;
  }
  if (!start || start->size() < kStart) {
    return start;
  }
  const size_t first = start->find_first_not_of(" \t\r\n");
  const bool may_be_json = first == std::string::npos || (*start)[first] == '{' || (*start)[first] == '[';
  return may_be_json ? read_stored(memory) : start;
}

/// Returns `text`, or an error if a parser's tree of it takes more than `memory`.
Result<std::string> fitForTree(const std::string& path, Result<std::string> text, uint64_t memory) {
  const uint64_t needed = text ? text->size() + jsonMemory(*text) : 0;
  return needed <= memory ? std::move(text) : Result<std::string>::failure(tooLargeText(path, needed));
}

} // namespace

Result<std::string> readRegularFile(const std::string& path, const FileDescriptor& file, size_t size) {
  struct stat facts {};
  if (std::string problem = whyNotRegular(path, file, facts); !problem.empty()) {
    return Result<std::string>::failure(std::move(problem));
  }
  const uint64_t wanted = std::min<uint64_t>(size, static_cast<uint64_t>(facts.st_size));
  std::string text;
  text.reserve(wanted + kTextPadding);
  text.resize(wanted);
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return Result<std::string>::failure(path + " cannot be read: " + std::strerror(errno));
    }
    if (count == 0) {
      break;
    }
    done += static_cast<size_t>(count);
  }
  text.resize(done);
  return text;
}

Result<std::string> readTextFile(const std::string& path, uint64_t most) {
  const FileDescriptor file(open(path.c_str(), kOpenSafely));
  struct stat facts {};
  if (std::string problem = whyNotRegular(path, file, facts); !problem.empty()) {
    return Result<std::string>::failure(std::move(problem));
  }
  std::string text;
  char buffer[1U << 16U];
  for (;;) { // up to the end, for the kernel's files have a size of 0
    const ssize_t count = read(file.get(), buffer, sizeof(buffer));
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      return Result<std::string>::failure(path + " cannot be read: " + std::strerror(errno));
    }
    text.append(buffer, static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (text.size() > most) {
      return Result<std::string>::failure(path + " has more than " + std::to_string(most) + " bytes");
    }
  }
}

Result<std::string> readStartOfFile(const std::string& path, size_t size) {
  const FileDescriptor file(open(path.c_str(), kOpenSafely | O_NOFOLLOW));
  return readRegularFile(path, file, size);
}

std::string whyNotInput(const std::string& path, uint64_t most) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) {
    return path + " cannot be opened: " + std::strerror(errno);
  }
  if (!S_ISREG(facts.st_mode) || isOfKernel(path)) {
    return path + " is not a regular file";
  }
  const auto size = static_cast<uint64_t>(facts.st_size);
  return size <= std::min(most, maxInputSize()) ? "" : tooLarge(path, size);
}

Result<std::string> readStartOfInput(const std::string& path, size_t size) {
  Result<std::string> start = readStored(path, size);
  if (!start || !isCompressed(*start)) {
    return start;
  }
  constexpr size_t kFirstBlock = 256U << 10U; // bytes: more than Zstandard needs for its first
  start = readStored(path, std::max(size, kFirstBlock));
  return start ? withPath(path, decompressStart(*start, size)) : start;
}

Result<std::string> readInputText(const std::string& path, uint64_t memory) {
  if (std::string error = whyNotInput(path, memory); !error.empty()) {
    return Result<std::string>::failure(std::move(error));
  }
  return readText(path, memory, [&path](size_t size) { return readStored(path, size); });
}

Result<std::string> readJsonInput(const std::string& path, uint64_t memory) {
  return fitForTree(path, readInputText(path, memory), memory);
}

Result<std::string> readJsonInput(const std::string& path) {
  return readJsonInput(path, maxInputSize());
}

Result<std::string> readJsonInput(const std::string& path, const FileDescriptor& file) {
  struct stat facts {};
  if (fstat(file.get(), &facts) == 0 && static_cast<uint64_t>(facts.st_size) > maxInputSize()) {
    return Result<std::string>::failure(tooLarge(path, static_cast<uint64_t>(facts.st_size)));
  }
  const auto read_stored = [&](size_t size) { return readRegularFile(path, file, size); };
  return fitForTree(path, readText(path, maxInputSize(), read_stored), maxInputSize());
}

std::string tooLargeText(const std::string& path, uint64_t memory) {
  return path + " may take " + std::to_string(memory) + " bytes of memory, but --max-file-size is " +
         std::to_string(maxInputSize());
}

void setMaxInputSize(uint64_t bytes) {
  max_input_size.store(bytes, std::memory_order_relaxed);
}

uint64_t maxInputSize() {
  return max_input_size.load(std::memory_order_relaxed);
}

uint64_t memoryOfMany() {
  constexpr uint64_t kPart = 16;
  return maxInputSize() / kPart;
}

} // namespace commtap
