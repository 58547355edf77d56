// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/decompression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace commtap {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

/// One step of a decompression.
struct Progress {
  size_t taken = 0;    ///< bytes of input
  size_t written = 0;  ///< bytes of output
  bool is_end = false; ///< of a member or frame
  bool is_wrong = false;
};

class Gunzip {
 public:
  Gunzip() {
    constexpr int kGzip = 16; // zlib.h: added to the window's bits for gzip's header instead of zlib's
    is_ready_ = inflateInit2(&stream_, MAX_WBITS + kGzip) == Z_OK;
  }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  ~Gunzip() {
    inflateEnd(&stream_);
  }

  Progress step(std::string_view input, char* output, size_t space) {
    constexpr size_t kMost = 1U << 30U; // zlib counts in 32 bits
    const auto given = static_cast<uInt>(std::min(input.size(), kMost));
    const auto room = static_cast<uInt>(std::min(space, kMost));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data())); // zlib's signature; it does not write
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(output);
    stream_.avail_out = room;
    const int status = is_ready_ ? inflate(&stream_, Z_NO_FLUSH) : Z_MEM_ERROR;
    const bool is_end = status == Z_STREAM_END;
    if (is_end) {
      inflateReset(&stream_);
    }
    return {
        given - stream_.avail_in,
        room - stream_.avail_out,
        is_end,
        status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR};
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

class Unzstd {
 public:
  Progress step(std::string_view input, char* output, size_t space) {
    ZSTD_inBuffer in = {input.data(), input.size(), 0};
    ZSTD_outBuffer out = {output, space, 0};
    const size_t left = stream_ == nullptr ? 1 : ZSTD_decompressStream(stream_.get(), &out, &in);
    return {in.pos, out.pos, left == 0, stream_ == nullptr || ZSTD_isError(left) != 0};
  }

 private:
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream_{ZSTD_createDStream(), ZSTD_freeDStream};
};

struct Decompressed {
  std::string text;
  bool is_whole = false; ///< all input was read, to the end of a member or frame
  bool is_wrong = false;
};

/// Stops when the text has `limit` bytes.
template <typename Format>
Decompressed decompressBy(std::string_view data, uint64_t limit) {
  constexpr size_t kPiece = 256U << 10U; // bytes
  Format format;
  Decompressed result;
  size_t size = 0;
  Progress step;
  do {
    const size_t space = std::min<uint64_t>(kPiece, limit - size);
    result.text.resize(size + space);
    step = format.step(data, result.text.data() + size, space);
    data.remove_prefix(step.taken);
    size += step.written;
  } while (!step.is_wrong && size < limit && (step.taken > 0 || step.written > 0) && !(data.empty() && step.is_end));
  result.text.resize(size);
  result.is_whole = data.empty() && step.is_end;
  result.is_wrong = step.is_wrong;
  return result;
}

Decompressed decompressAny(std::string_view data, uint64_t limit) {
  return data.starts_with(kZstdMagic) ? decompressBy<Unzstd>(data, limit) : decompressBy<Gunzip>(data, limit);
}

} // namespace

bool isCompressed(std::string_view data) {
  return data.starts_with(kGzipMagic) || data.starts_with(kZstdMagic);
}

Result<std::string> decompress(std::string_view data, uint64_t limit) {
  Decompressed result = decompressAny(data, limit + 1);
  if (result.text.size() > limit) {
    return Result<std::string>::failure(
        "has more than " + std::to_string(limit) + " bytes when it is decompressed, which is --max-file-size");
  }
  if (!result.is_whole) {
    return Result<std::string>::failure(
        result.is_wrong ? "is damaged: it cannot be decompressed" : "ends early: it is compressed, and not complete");
  }
  return std::move(result.text);
}

Result<std::string> decompressStart(std::string_view data, uint64_t size) {
  Decompressed result = decompressAny(data, size);
  return result.is_wrong && result.text.empty() ? Result<std::string>::failure("is damaged: it cannot be decompressed")
                                                : std::move(result.text);
}

} // namespace commtap
