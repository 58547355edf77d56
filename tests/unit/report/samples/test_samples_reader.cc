// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/samples_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "report/samples/samples.h"
#include "report/samples/samples_writer.h"
#include "tests/unit/report/samples/sample_values.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// The bytes of a file, and where each of its samples ends.
struct File {
  std::string bytes;
  std::vector<size_t> ends;
};

File sampleFile() {
  const TempFolder folder;
  SamplesWriter writer;
  File file;
  const auto append = [&](std::span<const SampledParameter> added, const Sample& sample) {
    REQUIRE(writer.append(added, sample).empty());
    file.ends.push_back(writer.size());
  };
  REQUIRE(writer.create(folder / "rank-00000", ".samples", sampleReport(0).job).empty());
  append(std::vector{fullParameter(), plainParameter("b")}, sampleOf(1, 2));
  append({}, sampleOf(2, 2));
  append(std::vector{plainParameter("c")}, sampleOf(3, 3));
  file.bytes = readText(writer.path());
  return file;
}

TEST_CASE("a file that ends early has the samples before its end") {
  const File file = sampleFile();
  const ProcessSamples whole = *readSamples(file.bytes);
  REQUIRE(whole.samples.size() == 3);
  bool has_job = false;
  for (size_t size = 0; size < file.bytes.size(); ++size) {
    CAPTURE(size);
    const Result<ProcessSamples> cut = readSamples(file.bytes.substr(0, size));
    if (!cut) {
      CHECK_FALSE(has_job);
      CHECK(cut.error() == "the file ends before its first sample");
      continue;
    }
    const bool is_first = !has_job;
    has_job = true;
    const auto complete = std::count_if(file.ends.begin(), file.ends.end(), [size](size_t end) { return end <= size; });
    REQUIRE(cut->samples.size() == static_cast<size_t>(complete));
    for (size_t i = 0; i < cut->samples.size(); ++i) {
      CHECK(areEqual(cut->samples[i], whole.samples[i]));
    }
    const bool ends_with_sample = is_first || std::find(file.ends.begin(), file.ends.end(), size) != file.ends.end();
    CHECK(cut->is_cut != ends_with_sample);
  }
  CHECK(has_job);
}

/// Returns whether a file is an error, or has samples before its damage, which are those of `whole`.
bool isDamaged(std::string_view bytes, const ProcessSamples& whole) {
  const Result<ProcessSamples> read = readSamples(bytes);
  if (!read) {
    return true;
  }
  bool are_equal = read->samples.size() < whole.samples.size() + 1 && !read->samples.empty();
  for (size_t i = 0; are_equal && i < read->samples.size(); ++i) {
    are_equal = areEqual(read->samples[i], whole.samples[i]);
  }
  return are_equal && !read->damage.empty();
}

TEST_CASE("a file with a changed byte is an error, or has the samples before it") {
  const File file = sampleFile();
  const ProcessSamples whole = *readSamples(file.bytes);
  CHECK(whole.damage.empty());
  for (size_t at = 0; at < file.bytes.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string changed = file.bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      CAPTURE(at);
      CHECK(isDamaged(changed, whole));
    }
  }
}

TEST_CASE("blocks that are missing, repeated or in another order are an error") {
  const File file = sampleFile();
  const std::string& bytes = file.bytes;
  const std::string second = bytes.substr(file.ends[0], file.ends[1] - file.ends[0]);
  const ProcessSamples whole = *readSamples(bytes);
  CHECK(isDamaged(bytes.substr(0, file.ends[0]) + bytes.substr(file.ends[1]), whole));
  CHECK(isDamaged(bytes.substr(0, file.ends[1]) + second, whole));
  CHECK(isDamaged(bytes + second, whole));
}

TEST_CASE("a file of another kind or version is refused in one sentence") {
  CHECK(readSamples("{\"schema\":\"commtap/2\"}").error() == "this is not a file of samples");
  CHECK(readSamples(std::string(100, '\0')).error() == "this is not a file of samples");
  SamplesHead head;
  head.version = kSamplesVersion + 1;
  head.check = checksumOf(head.version);
  const std::string bytes(reinterpret_cast<const char*>(&head), sizeof(head));
  CHECK(
      readSamples(bytes).error() ==
      "samples of format 4, and this commtap reads format 3: use the commtap that the job ran with");
}

TEST_CASE("an error of a file has its path") {
  const TempFolder folder;
  writeText(folder / "a.samples", "nonsense");
  CHECK(readSamplesFile(folder / "a.samples").error() == (folder / "a.samples") + ": this is not a file of samples");
  CHECK(has(readSamplesFile(folder / "none.samples").error(), folder / "none.samples"));
}

TEST_CASE("parameters survive a round trip through their text") {
  SampledParameter other = fullParameter();
  other.mesh = "{}";
  other.ddp_ranks = {1};
  const std::vector<SampledParameter> parameters = {
      plainParameter("Net.a"), fullParameter(), plainParameter(""), other, fullParameter()};
  const std::vector<SampledParameter> read = parametersFromJson(parametersToJson(parameters));
  REQUIRE(read.size() == parameters.size());
  for (size_t i = 0; i < read.size(); ++i) {
    CAPTURE(i);
    CHECK(areEqual(read[i], parameters[i]));
  }
  CHECK(parametersFromJson(parametersToJson({})).empty());
}

TEST_CASE("a parameter with the usual facts takes few bytes") {
  const std::vector<SampledParameter> many(1000, plainParameter("Net.layers.10.attention.query.weight"));
  CHECK(parametersToJson(many).size() < 70 * many.size());
}

TEST_CASE("a name that is not UTF-8 stays readable") {
  const std::vector<SampledParameter> parameters = {plainParameter("a\xff")};
  CHECK(parametersFromJson(parametersToJson(parameters)).at(0).name.starts_with("a"));
}

TEST_CASE("a text that has no parameters is rejected") {
  for (const char* text :
       {"",
        "{}",
        "[]",
        R"({"meshes":[],"rank_lists":[],"parameters":[{"name":"a"}]})",
        R"({"meshes":[],"rank_lists":[],"parameters":[{"name":"a","shape":[],"mesh":0}]})",
        R"({"meshes":[],"rank_lists":[],"parameters":[{"name":"a","shape":[],"requires_grad":1}]})",
        R"({"meshes":[],"rank_lists":[],"parameters":[{"name":"a","shape":[],"optimizer":-1}]})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parametersFromJson(text), std::runtime_error);
  }
}

TEST_CASE("a sample survives a round trip through its bytes") {
  const Sample sample = sampleOf(9, 4);
  CHECK(areEqual(sampleFromBytes(sampleToBytes(sample), 4), sample));
  CHECK(areEqual(sampleFromBytes(sampleToBytes(Sample()), 0), Sample()));
}

TEST_CASE("a row without sums keeps bits, squares and flags") {
  Sample sample = sampleOf(3, 1);
  sample.rows[0].has_sums = false;
  const size_t size = sampleToBytes(sample).size();
  const SampleRow row = sampleFromBytes(sampleToBytes(sample), 1).rows.at(0);
  CHECK_FALSE(row.has_sums);
  CHECK(row.value.bits == sample.rows[0].value.bits);
  CHECK(row.gradient.squares == sample.rows[0].gradient.squares);
  CHECK(row.gradient.is_constant == sample.rows[0].gradient.is_constant);
  CHECK(row.value.sums == std::array<double, kDigestSums>());
  CHECK(sampleToBytes(sampleOf(3, 1)).size() == size + 2 * kDigestSums * sizeof(float));
}

TEST_CASE("numbers outside of float32 stay as they are: finite, infinite or not a number") {
  Sample sample = sampleOf(3, 1);
  sample.rows[0].value.squares = 1e300;
  sample.rows[0].value.sums = {-1e300, std::numeric_limits<double>::infinity()};
  sample.rows[0].value.sums[2] = std::numeric_limits<double>::quiet_NaN();
  const Digest value = sampleFromBytes(sampleToBytes(sample), 1).rows.at(0).value;
  constexpr double kMost = std::numeric_limits<float>::max();
  CHECK(value.squares == kMost);
  CHECK(value.sums[0] == -kMost);
  CHECK(value.sums[1] == std::numeric_limits<double>::infinity());
  CHECK(value.sums[2] != value.sums[2]);
}

TEST_CASE("bytes of a sample that are cut, too long or name an unknown parameter are rejected") {
  const std::string bytes = sampleToBytes(sampleOf(9, 3));
  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK_THROWS_AS(sampleFromBytes(bytes.substr(0, size), 3), std::runtime_error);
  }
  CHECK_THROWS_AS(sampleFromBytes(bytes + '\0', 3), std::runtime_error);
  CHECK_THROWS_AS(sampleFromBytes(bytes, 2), std::runtime_error);
}

TEST_CASE("the distance of two tensors is relative to the larger norm") {
  Digest one;
  one.squares = 4;
  Digest other;
  other.squares = 16;
  other.sums.fill(2);
  CHECK(digestDistance(one, other) == doctest::Approx(0.5));
  CHECK(digestDistance(other, one) == doctest::Approx(0.5));
  CHECK(digestDistance(other, other) == 0);
}

TEST_CASE("two tensors of zeros have no distance") {
  CHECK(digestDistance(Digest(), Digest()) == 0);
}

} // namespace
} // namespace commtap
