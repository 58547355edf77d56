// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/compressor.h"

#include <zlib.h>
#include <zstd.h>

#include <limits>
#include <new>

namespace commtap {
namespace {

constexpr size_t kBuffer = 64U << 10U; ///< bytes

/// The names of modules and parameters repeat so much that a higher level gives little and costs the job's exit time.
constexpr int kGzipLevel = 4;
constexpr int kZstdLevel = 3;

class Gzip {
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
  ~Gzip() {
    deflateEnd(&stream_);
  }

  void add(std::string_view piece, bool is_last, std::string& out) {
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    while (piece.size() > kMost) {
      deflateAll(piece.substr(0, kMost), false, out);
      piece.remove_prefix(kMost);
    }
    deflateAll(piece, is_last, out);
  }

 private:
  void deflateAll(std::string_view piece, bool is_last, std::string& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data())); // zlib's signature; it does not write
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      char buffer[kBuffer];
      stream_.next_out = reinterpret_cast<Bytef*>(buffer);
      stream_.avail_out = sizeof(buffer);
      deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);
      out.append(buffer, sizeof(buffer) - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

class Zstd {
 public:
  Zstd() {
    if (stream_ == nullptr) {
      throw std::bad_alloc();
    }
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1); // as gzip has one
  }

  void add(std::string_view piece, bool is_last, std::string& out) {
    ZSTD_inBuffer in = {piece.data(), piece.size(), 0};
    size_t left = 0;
    do {
      char buffer[kBuffer];
      ZSTD_outBuffer to = {buffer, sizeof(buffer), 0};
      left = ZSTD_compressStream2(stream_.get(), &to, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) {
        throw std::bad_alloc(); // the only error of valid parameters
      }
      out.append(buffer, to.pos);
    } while (is_last ? left != 0 : in.pos < in.size);
  }

 private:
  std::unique_ptr<ZSTD_CStream, size_t (*)(ZSTD_CStream*)> stream_{ZSTD_createCStream(), ZSTD_freeCStream};
};

} // namespace

struct Compressor::State {
  std::unique_ptr<Gzip> gzip;
  std::unique_ptr<Zstd> zstd;
};

Compressor::Compressor(Compress how) : state_(std::make_unique<State>()) {
  if (how == Compress::kGzip) {
    state_->gzip = std::make_unique<Gzip>();
  } else if (how == Compress::kZstd) {
    state_->zstd = std::make_unique<Zstd>();
  }
}

Compressor::~Compressor() = default;

std::string Compressor::add(std::string_view piece, bool is_last) {
  std::string out;
  if (state_->gzip) {
    state_->gzip->add(piece, is_last, out);
  } else if (state_->zstd) {
    state_->zstd->add(piece, is_last, out);
  } else {
    out = piece;
  }
  return out;
}

} // namespace commtap
