// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/decompression.h"

#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <vector>

#include "report/base/text_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::string gzipOf(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstdOf(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  REQUIRE(ZSTD_isError(size) == 0);
  out.resize(size);
  return out;
}

std::vector<std::string> bothOf(const std::string& text) {
  return {gzipOf(text), zstdOf(text)};
}

TEST_CASE("decompress() returns a text, also of several members or frames") {
  const std::string text(700'000, 'x');
  CHECK(*decompress(gzipOf(text) + gzipOf("more"), 1'000'000) == text + "more");
  CHECK(*decompress(zstdOf(text) + zstdOf("more"), 1'000'000) == text + "more");
  CHECK_FALSE(isCompressed("{\"schema\""));
}

TEST_CASE("a text that is larger than the limit is refused, and not made") {
  for (const std::string& data : bothOf(std::string(50'000'000, ' '))) {
    CHECK(data.size() < 60'000);
    CHECK(decompress(data, 1000).error().find("has more than 1000 bytes") == 0);
    CHECK(decompressStart(data, 1000)->size() == 1000);
  }
}

TEST_CASE("many members without text take no time") {
  const std::string empty = gzipOf("");
  std::string data;
  for (int i = 0; i < 100'000; ++i) {
    data += empty;
  }
  CHECK(*decompress(data + gzipOf("text"), 1'000) == "text");
}

TEST_CASE("a window of more than 128 MiB is refused with its reason") {
  std::string data(1000, '\0');
  const std::string text(100, ' ');
  for (const int bits : {27, 28}) {
    const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, bits);
    ZSTD_inBuffer in = {text.data(), text.size(), 0};
    ZSTD_outBuffer out = {data.data(), data.size(), 0};
    REQUIRE(ZSTD_isError(ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_continue)) == 0);
    REQUIRE(ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end) == 0);
    const Result<std::string> read = decompress({data.data(), out.pos}, 1000);
    CHECK((bits == 28 || *decompressStart({data.data(), out.pos}, 10) == text.substr(0, 10)));
    CHECK((bits == 27 ? *read == text : read.error() == "needs a window of more than 128 MiB to be decompressed"));
  }
}

TEST_CASE("data that ends anywhere is an error; its start is there as far as it goes") {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += std::to_string(i * i) + "\n";
  }
  for (const std::string& data : bothOf(text)) {
    for (size_t size = 4; size < data.size(); size += 97) {
      const std::string cut = data.substr(0, size);
      CHECK_FALSE(decompress(cut, text.size()));
      const Result<std::string> start = decompressStart(cut, text.size());
      CHECK((!start || text.starts_with(*start)));
    }
  }
}

TEST_CASE("a wrong byte is an error or changes nothing") {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += std::to_string(i * i) + "\n";
  }
  const std::string gzip = gzipOf(text); // zstdOf() writes no checksum
  for (size_t at = 4; at < gzip.size(); ++at) {
    std::string wrong = gzip;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x10);
    const Result<std::string> read = decompress(wrong, 2 * text.size());
    CHECK((!read || *read == text));
  }
}

TEST_CASE("an input's content is the text that it holds, and its errors have its path") {
  const TempFolder folder;
  const std::string text = "{" + std::string(600'000, ' ') + "}";
  for (const std::string& data : bothOf(text)) {
    writeText(folder / "x.json", data);
    CHECK(*readJsonInput(folder / "x.json") == text);
    CHECK(*readStartOfInput(folder / "x.json", 100) == text.substr(0, 100));
    writeText(folder / "x.json", data.substr(0, data.size() / 2));
    CHECK(
        readJsonInput(folder / "x.json").error() ==
        (folder / "x.json") + " ends early: it is compressed, and not complete");
  }
}

} // namespace
} // namespace commtap
