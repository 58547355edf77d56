// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/samples_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "report/base/atomic_file.h"
#include "report/json/report_json.h"
#include "report/samples/samples.h"
#include "report/samples/samples_reader.h"

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

namespace {

enum Flag : uint8_t {
  kHasGradient = 1U << 0U,
  kIsGradientPartial = 1U << 1U,
  kHasSums = 1U << 2U,
  kIsConstant = 1U << 3U,
  kHasNonFinite = 1U << 4U,
  kIsGradientConstant = 1U << 5U,
  kHasGradientNonFinite = 1U << 6U,
  kIsGradientUnknown = 1U << 7U,
};
constexpr Flag kIsGradient = kHasGradient; ///< of a reduction
// Next to SampleRow::gradient_summed_over.
constexpr uint8_t kIsWhole = 1U << 7U;
constexpr uint8_t kHasNoPlace = UINT8_MAX;

template <typename Number>
void put(std::string& bytes, Number number) {
  static_assert(std::is_arithmetic_v<Number>);
  char text[sizeof(Number)];
  std::memcpy(text, &number, sizeof(Number));
  bytes.append(text, sizeof(Number));
}

/// Returns the nearest float32, which is finite for a finite number.
float narrowed(double number) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::isfinite(number) ? std::clamp(number, -kMost, kMost) : number);
}

void putDigest(std::string& bytes, const Digest& digest, bool has_sums) {
  put(bytes, digest.bits);
  put(bytes, narrowed(digest.squares));
  for (int j = 0; has_sums && j < kDigestSums; ++j) {
    put(bytes, narrowed(digest.sums[j]));
  }
}

uint8_t flagsOf(const SampleRow& row) {
  unsigned flags = 0;
  const auto set = [&flags](bool is_set, Flag flag) { flags |= is_set ? unsigned{flag} : 0U; };
  set(row.has_gradient, kHasGradient);
  set(row.is_gradient_partial, kIsGradientPartial);
  set(row.has_sums, kHasSums);
  set(row.value.is_constant, kIsConstant);
  set(row.value.has_non_finite, kHasNonFinite);
  set(row.gradient.is_constant, kIsGradientConstant);
  set(row.gradient.has_non_finite, kHasGradientNonFinite);
  set(row.is_gradient_unknown, kIsGradientUnknown);
  return static_cast<uint8_t>(flags);
}

void putRow(std::string& bytes, const SampleRow& row) {
  put(bytes, row.parameter);
  put(bytes, flagsOf(row));
  const unsigned place = row.gradient_summed_over | (row.is_gradient_whole ? unsigned{kIsWhole} : 0U);
  put(bytes, row.has_gradient_place ? static_cast<uint8_t>(place) : kHasNoPlace);
  putDigest(bytes, row.value, row.has_sums);
  if (row.has_gradient) {
    putDigest(bytes, row.gradient, row.has_sums);
  }
}

void putText(std::string& bytes, const std::string& text) {
  put(bytes, static_cast<uint32_t>(text.size()));
  bytes += text;
}

void putReduction(std::string& bytes, const SampledReduction& reduction) {
  putText(bytes, reduction.group);
  put(bytes, reduction.sequence);
  put(bytes, reduction.part);
  putText(bytes, reduction.module);
  put(bytes, reduction.elements);
  const unsigned flags = (reduction.is_gradient ? unsigned{kIsGradient} : 0U) |
                         (reduction.input.is_constant ? unsigned{kIsConstant} : 0U) |
                         (reduction.input.has_non_finite ? unsigned{kHasNonFinite} : 0U);
  put(bytes, static_cast<uint8_t>(flags));
  putDigest(bytes, reduction.input, true);
}

void putInputs(std::string& bytes, const Sample& sample) {
  put(bytes, static_cast<uint32_t>(sample.reductions.size()));
  for (const SampledReduction& reduction : sample.reductions) {
    putReduction(bytes, reduction);
  }
  put(bytes, sample.gradient_elements);
  put(bytes, sample.batch.forwards);
  put(bytes, sample.batch.rows);
  put(bytes, sample.batch.sum);
  put(bytes, static_cast<uint8_t>((sample.batch.has_draws ? 1U : 0U) | (sample.batch.has_autocast ? 2U : 0U)));
  put(bytes, static_cast<uint32_t>(sample.batch.hashes.size()));
  for (const uint64_t hash : sample.batch.hashes) {
    put(bytes, hash);
  }
  put(bytes, static_cast<uint32_t>(sample.gaps.size()));
  for (const SampledGap& gap : sample.gaps) {
    putText(bytes, gap.why);
    put(bytes, gap.count);
  }
}

/// Takes numbers from the start of some bytes.
class Bytes {
 public:
  explicit Bytes(std::string_view rest) : rest_(rest) {}

  std::string_view text(size_t size) {
    if (size > rest_.size()) {
      throw std::runtime_error("a sample is shorter than it says");
    }
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  /// Takes a text whose length comes before it.
  std::string_view text() {
    return text(number<uint32_t>());
  }
  template <typename Number>
  Number number() {
    Number number{};
    std::memcpy(&number, text(sizeof(Number)).data(), sizeof(Number));
    return number;
  }
  bool isEmpty() const {
    return rest_.empty();
  }

 private:
  std::string_view rest_;
};

Digest digestFrom(Bytes& bytes, bool has_sums, bool is_constant, bool has_non_finite) {
  Digest digest;
  digest.bits = bytes.number<uint64_t>();
  digest.squares = bytes.number<float>();
  for (int j = 0; has_sums && j < kDigestSums; ++j) {
    digest.sums[j] = bytes.number<float>();
  }
  digest.is_constant = is_constant;
  digest.has_non_finite = has_non_finite;
  return digest;
}

SampleRow rowFrom(Bytes& bytes, size_t parameters) {
  SampleRow row;
  row.parameter = bytes.number<uint32_t>();
  const auto flags = bytes.number<uint8_t>();
  const auto place = bytes.number<uint8_t>();
  row.has_gradient_place = place != kHasNoPlace;
  row.is_gradient_whole = row.has_gradient_place && place >= kIsWhole;
  row.gradient_summed_over = row.has_gradient_place ? place % kIsWhole : 0;
  if (row.parameter >= parameters) {
    throw std::runtime_error("a sample has a row of an unknown parameter");
  }
  const auto has = [flags](Flag flag) { return (flags & flag) != 0; };
  row.has_gradient = has(kHasGradient);
  row.is_gradient_unknown = has(kIsGradientUnknown);
  row.is_gradient_partial = has(kIsGradientPartial);
  row.has_sums = has(kHasSums);
  row.value = digestFrom(bytes, row.has_sums, has(kIsConstant), has(kHasNonFinite));
  if (row.has_gradient) {
    row.gradient = digestFrom(bytes, row.has_sums, has(kIsGradientConstant), has(kHasGradientNonFinite));
  }
  return row;
}

SampledReduction reductionFrom(Bytes& bytes) {
  SampledReduction reduction;
  reduction.group = bytes.text();
  reduction.sequence = bytes.number<uint64_t>();
  reduction.part = bytes.number<uint32_t>();
  reduction.module = bytes.text();
  reduction.elements = bytes.number<uint64_t>();
  const unsigned flags = bytes.number<uint8_t>();
  reduction.is_gradient = (flags & kIsGradient) != 0;
  reduction.input = digestFrom(bytes, true, (flags & kIsConstant) != 0, (flags & kHasNonFinite) != 0);
  return reduction;
}

void readInputs(Bytes& bytes, Sample& sample) {
  for (auto left = bytes.number<uint32_t>(); left > 0; --left) {
    sample.reductions.push_back(reductionFrom(bytes));
  }
  sample.gradient_elements = bytes.number<uint64_t>();
  sample.batch.forwards = bytes.number<uint64_t>();
  sample.batch.rows = bytes.number<uint64_t>();
  sample.batch.sum = bytes.number<uint64_t>();
  const unsigned flags = bytes.number<uint8_t>();
  sample.batch.has_draws = (flags & 1U) != 0;
  sample.batch.has_autocast = (flags & 2U) != 0;
  for (auto left = bytes.number<uint32_t>(); left > 0; --left) {
    sample.batch.hashes.push_back(bytes.number<uint64_t>());
  }
  for (auto left = bytes.number<uint32_t>(); left > 0; --left) {
    SampledGap& gap = sample.gaps.emplace_back();
    gap.why = bytes.text();
    gap.count = bytes.number<uint64_t>();
  }
}

} // namespace

std::string sampleToBytes(const Sample& sample) {
  std::string bytes;
  put(bytes, sample.optimizer);
  put(bytes, sample.step);
  put(bytes, sample.at_ns);
  put(bytes, static_cast<uint32_t>(sample.groups.size()));
  for (const SampledGroup& group : sample.groups) {
    putText(bytes, group.name);
    put(bytes, group.collectives);
  }
  put(bytes, static_cast<uint32_t>(sample.rows.size()));
  for (const SampleRow& row : sample.rows) {
    putRow(bytes, row);
  }
  putInputs(bytes, sample);
  return bytes;
}

Sample sampleFromBytes(std::string_view text, size_t parameters) {
  Bytes bytes(text);
  Sample sample;
  sample.optimizer = bytes.number<uint32_t>();
  sample.step = bytes.number<uint64_t>();
  sample.at_ns = bytes.number<uint64_t>();
  for (auto left = bytes.number<uint32_t>(); left > 0; --left) {
    SampledGroup& group = sample.groups.emplace_back();
    group.name = bytes.text();
    group.collectives = bytes.number<uint64_t>();
  }
  for (auto left = bytes.number<uint32_t>(); left > 0; --left) {
    sample.rows.push_back(rowFrom(bytes, parameters));
  }
  readInputs(bytes, sample);
  if (!bytes.isEmpty()) {
    throw std::runtime_error("a sample is longer than it says");
  }
  return sample;
}

double digestDistance(const Digest& a, const Digest& b) {
  double squares = 0;
  for (int j = 0; j < kDigestSums; ++j) {
    squares += (a.sums[j] - b.sums[j]) * (a.sums[j] - b.sums[j]);
  }
  const double largest = std::max(a.squares, b.squares);
  return largest > 0 ? std::sqrt(squares / kDigestSums / largest) : 0;
}

} // namespace commtap
