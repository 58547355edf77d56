// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/samples_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "report/base/atomic_file.h"
#include "report/base/file_size.h"
#include "report/json/report_json.h"
#include "report/samples/sample_block.h"
#include "report/samples/sampled_parameters.h"
#include "report/samples/samples_format.h"

namespace commtap {
namespace {

template <typename Record>
std::string_view recordBytes(const Record& record) {
  return {reinterpret_cast<const char*>(&record), sizeof(record)};
}

/// Returns the head of the process's report. jobFromJson() reads it.
std::string jobText(const Job& job) {
  Report report;
  report.job = job;
  return reportToJson(report);
}

} // namespace

SamplesWriter::~SamplesWriter() {
  close();
}

void SamplesWriter::close() {
  if (isOpen()) {
    ::close(fd_);
  }
  fd_ = -1;
  size_ = 0;
  blocks_ = 0;
}

std::string SamplesWriter::openNew(const std::string& path, std::string_view ending, uint64_t pid) {
  constexpr int kMost = 100;
  for (int nth = 0; nth < kMost; ++nth) {
    path_ = path + (nth == 0 ? "" : ".pid-" + std::to_string(pid)) + (nth < 2 ? "" : "." + std::to_string(nth)) +
            std::string(ending);
    fd_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd_ >= 0 || errno != EEXIST) {
      break;
    }
  }
  return isOpen() ? "" : path_ + ": " + std::strerror(errno);
}

std::string SamplesWriter::create(const std::string& path, std::string_view ending, const Job& job) {
  close();
  if (std::string error = openNew(path, ending, job.pid); !error.empty()) {
    return error;
  }
  std::string bytes(recordBytes(SamplesHead()));
  addBlock(bytes, SamplesBlockKind::kJob, jobText(job));
  std::string error = write(bytes);
  if (!error.empty()) {
    unlink(path_.c_str()); // a file without a job belongs to no run, so nothing would remove it
  }
  return error;
}

void SamplesWriter::addBlock(std::string& bytes, SamplesBlockKind kind, const std::string& payload) {
  Checksum check;
  check.add(std::string_view(payload));
  SamplesBlock block{payload.size(), kind, blocks_++, check.value(), 0};
  block.check = checkOf(block);
  bytes += recordBytes(block);
  bytes += payload;
}

std::string SamplesWriter::append(std::span<const SampledParameter> added, const Sample& sample, uint64_t most) {
  std::string bytes;
  if (!added.empty()) {
    addBlock(bytes, SamplesBlockKind::kParameters, parametersToJson(added));
  }
  addBlock(bytes, SamplesBlockKind::kSample, sampleToBytes(sample));
  if (size_ + bytes.size() > most) {
    close();
    return path_ + " is full: it would have more than " + std::to_string(most) + " bytes";
  }
  return write(bytes);
}

std::string SamplesWriter::write(const std::string& bytes) {
  struct stat facts {};
  std::string error;
  const bool is_known = fstat(fd_, &facts) == 0;
  if (is_known && (static_cast<uint64_t>(facts.st_size) != size_ || facts.st_nlink == 0)) {
    error = facts.st_nlink == 0 ? "another program has deleted it" : "another program has changed it";
  } else if (!is_known || !isAllowedFileSize(size_ + bytes.size()) || !writeAll(fd_, bytes)) {
    error = std::strerror(errno);
  }
  size_ += bytes.size();
  if (!error.empty()) {
    close();
    return path_ + ": " + error;
  }
  return "";
}

} // namespace commtap
