// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/samples_reader.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/base/file_descriptor.h"
#include "report/base/json_text.h"
#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/json/json_cursor.h"
#include "report/json/json_row.h"
#include "report/json/report_json.h"
#include "report/json/row_read.h"
#include "report/json/row_write.h"
#include "report/samples/samples.h"

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

namespace {

constexpr const char* kMeshes = "meshes";
constexpr const char* kRankLists = "rank_lists";
constexpr const char* kParameterList = "parameters";

/// Values that parameters share, which name them by index. The lists are short: searching them takes less than a table
/// would.
struct SharedValues {
  std::vector<std::string> meshes;
  std::vector<std::vector<int64_t>> rank_lists;
};

/// Describes a parameter: required() has the fields that are always there, optional() those that are absent if they are
/// as usual, shared() those that are the index of a shared value, absent if it is empty.
template <typename Parameter, typename Visit>
void visitFields(Parameter& parameter, const Visit& visit) {
  SampledParameter usual;
  usual.dtype = "float32";
  visit.required("name", parameter.name);
  visit.required("shape", parameter.shape);
  visit.optional("local_shape", parameter.local_shape, parameter.shape);
  visit.optional("optimizer", parameter.optimizer, usual.optimizer);
  visit.optional("in_optimizer", parameter.is_in_optimizer, usual.is_in_optimizer);
  visit.optional("model_name", parameter.has_model_name, usual.has_model_name);
  visit.optional("dtype", parameter.dtype, usual.dtype);
  visit.optional("requires_grad", parameter.requires_grad, usual.requires_grad);
  visit.shared("mesh", parameter.mesh, &SharedValues::meshes);
  visit.optional("placements", parameter.placements, usual.placements);
  visit.optional("coordinate", parameter.coordinate, usual.coordinate);
  visit.optional("tensor_model_parallel", parameter.tensor_model_parallel, usual.tensor_model_parallel);
  visit.optional("sequence_parallel", parameter.sequence_parallel, usual.sequence_parallel);
  visit.optional("allreduce", parameter.allreduce, usual.allreduce);
  visit.shared("ddp", parameter.ddp_ranks, &SharedValues::rank_lists);
  visit.optional("buffer", parameter.is_buffer, usual.is_buffer);
  visit.optional("fsdp1_flat", parameter.is_fsdp1_flat, usual.is_fsdp1_flat);
  visit.optional("has_place", parameter.has_place, usual.has_place);
  visit.optional("part", parameter.part, usual.part);
}

struct ParameterWriter {
  JsonRow& row;
  SharedValues& values;

  template <typename Value>
  void required(const char* name, const Value& value) const {
    addField(row, name, value, AsItIs(), NoContext());
  }
  template <typename Value>
  void optional(const char* name, const Value& value, const Value& usual) const {
    if (value != usual) {
      required(name, value);
    }
  }
  void optional(const char* name, const std::optional<bool>& value, const std::optional<bool>& /*usual*/) const {
    if (value) {
      row.addBool(name, *value);
    }
  }
  template <typename Value>
  void shared(const char* name, const Value& value, std::vector<Value> SharedValues::*list) const {
    std::vector<Value>& all = values.*list;
    if (value.empty()) {
      return;
    }
    const auto found = std::find(all.begin(), all.end(), value);
    row.addNumber(name, static_cast<size_t>(found - all.begin()));
    if (found == all.end()) {
      all.push_back(value);
    }
  }
};

struct ParameterReader {
  const JsonCursor& cursor;
  const SharedValues& values;

  template <typename Value>
  void required(const char* name, Value& value) const {
    readField(cursor.at(name), value, AsItIs(), NoContext());
  }
  template <typename Value>
  void optional(const char* name, Value& value, const Value& usual) const {
    value = usual;
    if (cursor.has(name)) {
      required(name, value);
    }
  }
  void optional(const char* name, std::optional<bool>& value, const std::optional<bool>& /*usual*/) const {
    if (cursor.has(name)) {
      value = cursor.at(name).boolean();
    }
  }
  template <typename Value>
  void shared(const char* name, Value& value, std::vector<Value> SharedValues::*list) const {
    const std::vector<Value>& all = values.*list;
    if (!cursor.has(name)) {
      return;
    }
    const auto index = cursor.number<size_t>(name);
    if (index >= all.size()) {
      cursor.at(name).wrong("the number of a shared value");
    }
    value = all[index];
  }
};

} // namespace

std::string parametersToJson(std::span<const SampledParameter> parameters) {
  SharedValues shared;
  std::string list;
  for (const SampledParameter& parameter : parameters) {
    list += list.empty() ? "" : ",";
    JsonRow row(list);
    visitFields(parameter, ParameterWriter{row, shared});
  }
  std::string text;
  {
    JsonRow row(text);
    row.addTexts(kMeshes, shared.meshes);
    row.addJson(kRankLists, shared.rank_lists);
  }
  text.back() = ','; // the brace
  return text + '"' + kParameterList + "\":[" + list + "]}";
}

std::vector<SampledParameter> parametersFromJson(std::string_view text) {
  if (nestsTooDeeply(text)) {
    throw std::runtime_error("the values are nested too deeply");
  }
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const JsonCursor root(document, "parameters");
  SharedValues shared;
  readField(root.at(kMeshes), shared.meshes, AsItIs(), NoContext());
  shared.rank_lists = root.list<std::vector<int64_t>>(kRankLists, [](const JsonCursor& item) {
    std::vector<int64_t> ranks;
    readField(item, ranks, AsItIs(), NoContext());
    return ranks;
  });
  return root.list<SampledParameter>(kParameterList, [&](const JsonCursor& item) {
    SampledParameter parameter;
    visitFields(parameter, ParameterReader{item, shared});
    return parameter;
  });
}

} // namespace commtap
