// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_file.h"

#include <doctest/doctest.h>

#include "report/base/decompression.h"

namespace commtap {
namespace {

std::string compressed(Compress how, const std::string& text, size_t piece) {
  const std::unique_ptr<Compressor> compressor = makeCompressor(how);
  std::string out;
  for (size_t at = 0; at < text.size(); at += piece) {
    out += compressor->add(std::string_view(text).substr(at, piece), false);
  }
  return out + compressor->add("", true);
}

TEST_CASE("a compressed text comes back, in whichever pieces it was added") {
  std::string text;
  for (int i = 0; i < 60'000; ++i) {
    text += "layers." + std::to_string(i % 977) + (i % 13 == 0 ? "\n" : ".attention.wo ");
  }
  for (const Compress how : {Compress::kGzip, Compress::kZstd}) {
    for (const size_t piece : {size_t{1000}, size_t{300'000}, text.size()}) {
      const std::string data = compressed(how, text, piece);
      CHECK(isCompressed(data));
      CHECK(data.size() < text.size() / 10);
      const Result<std::string> back = decompress(data, text.size());
      REQUIRE(back);
      CHECK(*back == text);
    }
    CHECK(*decompress(compressed(how, "", 1), 0) == "");
  }
}

TEST_CASE("without compression the pieces are as they are") {
  CHECK(compressed(Compress::kOff, "{\"schema\": 1}", 4) == "{\"schema\": 1}");
}

} // namespace
} // namespace commtap
