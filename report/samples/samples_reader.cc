// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/samples_reader.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "report/base/catch_errors.h"
#include "report/base/file_descriptor.h"
#include "report/base/text_file.h"
#include "report/json/report_json.h"
#include "report/samples/sample_block.h"
#include "report/samples/sampled_parameters.h"
#include "report/samples/samples_format.h"

namespace commtap {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20U;   // a writer stops far below
constexpr size_t kMostJobBytes = size_t{1} << 20U; // of the start with the job

/// Takes blocks from the start of a file's bytes.
class Blocks {
 public:
  explicit Blocks(std::string_view rest) : rest_(rest) {}

  /// Returns the next complete block and sets its payload; nullopt at the end. Throws if it is damaged.
  std::optional<SamplesBlockKind> next(std::string_view& payload) {
    SamplesBlock block;
    if (rest_.size() < sizeof(block)) {
      return std::nullopt;
    }
    std::memcpy(&block, rest_.data(), sizeof(block));
    if (block.check != checkOf(block) || block.number != number_ || block.kind > SamplesBlockKind::kSample) {
      throw std::runtime_error("block " + std::to_string(number_) + " of the samples is damaged");
    }
    const std::string_view rest = rest_.substr(sizeof(block));
    if (rest.size() < block.size) {
      return std::nullopt;
    }
    payload = rest.substr(0, block.size);
    Checksum check;
    check.add(payload);
    if (check.value() != block.payload_check) {
      throw std::runtime_error("block " + std::to_string(number_) + " of the samples is damaged");
    }
    rest_ = rest.substr(block.size);
    ++number_;
    return block.kind;
  }
  /// Returns whether bytes of an incomplete block are left.
  bool hasRest() const {
    return !rest_.empty();
  }

 private:
  std::string_view rest_;
  uint32_t number_ = 0;
};

/// Throws unless the bytes begin with the head of a samples file.
void checkHead(std::string_view bytes) {
  SamplesHead head;
  const size_t size = std::min(bytes.size(), sizeof(head));
  std::memcpy(&head, bytes.data(), size);
  if (head.magic != kSamplesMagic || head.check != checksumOf(head.version)) {
    throw std::runtime_error("this is not a file of samples");
  }
  if (head.version != kSamplesVersion) {
    throw std::runtime_error(
        "samples of format " + std::to_string(head.version) + ", and this commtap reads format " +
        std::to_string(kSamplesVersion) + ": use the commtap that the job ran with");
  }
  if (size < sizeof(head)) {
    throw std::runtime_error("the file ends before its first sample");
  }
}

Job jobAtStart(Blocks& blocks) {
  std::string_view payload;
  const std::optional<SamplesBlockKind> kind = blocks.next(payload);
  if (!kind) {
    throw std::runtime_error("the file ends before its first sample");
  }
  Result<Job> job = *kind == SamplesBlockKind::kJob ? jobFromJson(payload) : Result<Job>::failure("it has no job");
  if (!job) {
    throw std::runtime_error("the samples' job: " + job.error());
  }
  return std::move(*job);
}

/// Adds the samples of the rest of the file. Throws at the first block that is damaged; those before it stay.
void addSamples(Blocks& blocks, ProcessSamples& samples) {
  std::string_view payload;
  bool waits_for_sample = false;
  while (const std::optional<SamplesBlockKind> kind = blocks.next(payload)) {
    waits_for_sample = *kind == SamplesBlockKind::kParameters;
    if (*kind == SamplesBlockKind::kJob) {
      throw std::runtime_error("the samples have a second job");
    }
    if (waits_for_sample) {
      std::vector<SampledParameter> added = parametersFromJson(payload);
      std::move(added.begin(), added.end(), std::back_inserter(samples.parameters));
    } else {
      samples.samples.push_back(sampleFromBytes(payload, samples.parameters.size()));
    }
  }
  samples.is_cut = waits_for_sample || blocks.hasRest();
}

/// Opens the file and returns what `read` returns.
template <typename T, typename Read>
Result<T> withSamplesFile(const std::string& path, const Read& read) {
  if (std::string error = whyNotInput(path); !error.empty()) {
    return Result<T>::failure(std::move(error));
  }
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.isOpen() ? read(file) : Result<T>::failure(path + ": " + std::strerror(errno));
}

ProcessSamples samplesFrom(std::string_view bytes) {
  checkHead(bytes);
  Blocks blocks(bytes.substr(sizeof(SamplesHead)));
  ProcessSamples samples;
  samples.job = jobAtStart(blocks);
  try {
    addSamples(blocks, samples);
  } catch (const std::runtime_error& error) {
    if (samples.samples.empty()) {
      throw;
    }
    samples.damage = error.what();
  }
  return samples;
}

} // namespace

Result<ProcessSamples> readSamples(std::string_view bytes) {
  try {
    return samplesFrom(bytes);
  } catch (const std::bad_alloc&) {
    return Result<ProcessSamples>::failure("not enough memory to read the samples");
  } catch (const std::exception& error) {
    return Result<ProcessSamples>::failure(error.what());
  }
}

Result<ProcessSamples> readSamplesFile(const std::string& path) {
  return withSamplesFile<ProcessSamples>(path, [&](const FileDescriptor& file) { return readSamplesFile(path, file); });
}

Result<Job> jobOfSamplesFile(const std::string& path) {
  return withSamplesFile<Job>(path, [&](const FileDescriptor& file) {
    return catchErrors<Job>(path, [&]() -> Result<Job> {
      const Result<std::string> start = readRegularFile(path, file, kMostJobBytes);
      if (!start) {
        return Result<Job>::failure(start.error());
      }
      checkHead(*start);
      Blocks blocks(std::string_view(*start).substr(sizeof(SamplesHead)));
      return jobAtStart(blocks);
    });
  });
}

Result<ProcessSamples> readSamplesFile(const std::string& path, const FileDescriptor& file) {
  return catchErrors<ProcessSamples>(path, [&]() -> Result<ProcessSamples> {
    const Result<std::string> bytes = readRegularFile(path, file, kMostBytes + 1);
    if (!bytes) {
      return Result<ProcessSamples>::failure(bytes.error());
    }
    Result<ProcessSamples> samples =
        bytes->size() > kMostBytes ? Result<ProcessSamples>::failure("this is not a file of samples: it is too large")
                                   : readSamples(*bytes);
    return samples ? std::move(samples) : Result<ProcessSamples>::failure(path + ": " + samples.error());
  });
}

} // namespace commtap
