// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/decompression.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace commtap {
namespace {

constexpr const char* kDamaged = "is damaged: it cannot be decompressed";
constexpr const char* kTooWide = "needs a window of more than 128 MiB to be decompressed";

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

/// One step of a decompression.
struct Decoded {
  size_t taken = 0;            ///< bytes of input
  size_t written = 0;          ///< bytes of output
  bool is_end = false;         ///< of a member or frame
  const char* wrong = nullptr; ///< why it cannot go on
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

  Decoded step(std::string_view input, char* output, size_t space) {
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
    const bool is_wrong = status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR;
    return {given - stream_.avail_in, room - stream_.avail_out, is_end, is_wrong ? kDamaged : nullptr};
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

class Unzstd {
 public:
  Decoded step(std::string_view input, char* output, size_t space) {
    ZSTD_inBuffer in = {input.data(), input.size(), 0};
    ZSTD_outBuffer out = {output, space, 0};
    const size_t left = stream_ == nullptr ? 1 : ZSTD_decompressStream(stream_.get(), &out, &in);
    const bool is_wrong = stream_ == nullptr || ZSTD_isError(left) != 0;
    const bool is_wide = is_wrong && ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge;
    return {in.pos, out.pos, left == 0, is_wide ? kTooWide : is_wrong ? kDamaged : nullptr};
  }

 private:
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream_{ZSTD_createDStream(), ZSTD_freeDStream};
};

/// How a decompression ended.
struct Decompressed {
  uint64_t size = 0;           ///< of the text
  bool is_whole = false;       ///< all input was read, to the end of a member or frame
  const char* wrong = nullptr; ///< why it could not go on
};

/// Passes the text to `take` in pieces. Stops when it has `limit` bytes.
template <typename Format, typename Take>
Decompressed decompressBy(std::string_view data, uint64_t limit, const Take& take) {
  constexpr size_t kPiece = 256U << 10U; // bytes
  const auto piece = std::make_unique_for_overwrite<char[]>(kPiece);
  Format format;
  Decompressed result;
  Decoded step;
  do {
    step = format.step(data, piece.get(), std::min<uint64_t>(kPiece, limit - result.size));
    data.remove_prefix(step.taken);
    result.size += step.written;
    take(std::string_view(piece.get(), step.written));
  } while (step.wrong == nullptr && result.size < limit && (step.taken > 0 || step.written > 0) &&
           !(data.empty() && step.is_end));
  result.is_whole = data.empty() && step.is_end;
  result.wrong = step.wrong;
  return result;
}

template <typename Take>
Decompressed decompressAny(std::string_view data, uint64_t limit, const Take& take) {
  return data.starts_with(kZstdMagic) ? decompressBy<Unzstd>(data, limit, take)
                                      : decompressBy<Gunzip>(data, limit, take);
}

} // namespace

bool isCompressed(std::string_view data) {
  return data.starts_with(kGzipMagic) || data.starts_with(kZstdMagic);
}

Result<std::string> decompress(std::string_view data, uint64_t limit) {
  // The size first: a text that grows while it is decompressed is in memory twice each time that it moves.
  const Decompressed result = decompressAny(data, limit + 1, [](std::string_view /*piece*/) {});
  if (result.size > limit) {
    return Result<std::string>::failure(
        "has more than " + std::to_string(limit) + " bytes when it is decompressed, beyond --max-file-size");
  }
  if (!result.is_whole) {
    return Result<std::string>::failure(
        result.wrong == nullptr ? "ends early: it is compressed, and not complete" : result.wrong);
  }
  std::string text;
  text.reserve(result.size + kTextPadding);
  decompressAny(data, limit, [&text](std::string_view piece) { text += piece; });
  return text;
}

Result<std::string> decompressStart(std::string_view data, uint64_t size) {
  std::string text;
  const Decompressed result = decompressAny(data, size, [&text](std::string_view piece) { text += piece; });
  return result.wrong != nullptr && text.empty() ? Result<std::string>::failure(result.wrong) : std::move(text);
}

} // namespace commtap
