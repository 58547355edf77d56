// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/compressor.h"

#include <zlib.h>
#include <zstd.h>

#include <limits>
#include <new>

namespace commtap {
namespace {

/// Bytes that the result grows by. Not on the stack: the thread that exits may have little.
constexpr size_t kBuffer = 64U << 10U;

/// The names of modules and parameters repeat so much that a higher level gives little and costs the job's exit time.
constexpr int kGzipLevel = 4;
constexpr int kZstdLevel = 3;

class Gzip : public Compressor {
 public:
  Gzip() {
    constexpr int kGzipHeader = 16; // zlib.h: added to the window's bits for gzip's header instead of zlib's
    constexpr int kMemory = 8;      // zlib's default
    if (deflateInit2(&stream_, kGzipLevel, Z_DEFLATED, MAX_WBITS + kGzipHeader, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() override {
    deflateEnd(&stream_);
  }

  std::string add(std::string_view piece, bool is_last) override {
    std::string out;
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    while (piece.size() > kMost) {
      deflateAll(piece.substr(0, kMost), false, out);
      piece.remove_prefix(kMost);
    }
    deflateAll(piece, is_last, out);
    return out;
  }

 private:
  void deflateAll(std::string_view piece, bool is_last, std::string& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data())); // zlib's signature; it does not write
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      const size_t size = out.size();
      out.resize(size + kBuffer);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + size);
      stream_.avail_out = kBuffer;
      deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);
      out.resize(size + kBuffer - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

class Zstd : public Compressor {
 public:
  Zstd() {
    if (stream_ == nullptr) {
      throw std::bad_alloc();
    }
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1); // as gzip has one
  }

  std::string add(std::string_view piece, bool is_last) override {
    std::string out;
    ZSTD_inBuffer in = {piece.data(), piece.size(), 0};
    size_t left = 0;
    do {
      const size_t size = out.size();
      out.resize(size + kBuffer);
      ZSTD_outBuffer to = {out.data() + size, kBuffer, 0};
      left = ZSTD_compressStream2(stream_.get(), &to, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) {
        throw std::bad_alloc(); // the only error of valid parameters
      }
      out.resize(size + to.pos);
    } while (is_last ? left != 0 : in.pos < in.size);
    return out;
  }

 private:
  std::unique_ptr<ZSTD_CStream, size_t (*)(ZSTD_CStream*)> stream_{ZSTD_createCStream(), ZSTD_freeCStream};
};

class Plain : public Compressor {
 public:
  std::string add(std::string_view piece, bool /*is_last*/) override {
    return std::string(piece);
  }
};

} // namespace

std::unique_ptr<Compressor> makeCompressor(Compress how) {
  switch (how) {
    case Compress::kGzip:
      return std::make_unique<Gzip>();
    case Compress::kZstd:
      return std::make_unique<Zstd>();
    case Compress::kOff:
      break;
  }
  return std::make_unique<Plain>();
}

} // namespace commtap
