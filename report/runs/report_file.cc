// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <limits>
#include <memory>
#include <new>
#include <string_view>

#include "report/base/atomic_file.h"
#include "report/base/file_descriptor.h"
#include "report/json/fields.h"
#include "report/json/report_json.h"
#include "report/runs/output.h"

namespace commtap {
namespace {

/// Holds a folder's lock for its lifetime. Gives up after two seconds, or immediately on a file system without locks: a
/// stopped process must not delay the job's exit.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int kTries = 200;
    constexpr useconds_t kPauseUs = 10'000;
    for (int tried = 0; tried < kTries && folder_.isLockedByAnother(); ++tried) {
      usleep(kPauseUs);
    }
  }

 private:
  FileDescriptor folder_;
};

/// Sets the last field of this name in `text`, whose value must be 0.
void setNumber(std::string& text, const std::string& field, uint64_t value) {
  const std::string name = '"' + field + "\":";
  if (const size_t found = text.rfind(name + '0'); found != std::string::npos) {
    text.replace(found + name.size(), 1, std::to_string(value));
  }
}

/// Removes the process's own report under the same name with another ending.
void removeOtherEndings(const std::string& path, std::string_view ending) {
  const std::string base = path.substr(0, path.size() - ending.size());
  for (const std::string_view other : kReportEndings) {
    if (other != ending) {
      unlink((base + std::string(other)).c_str());
    }
  }
}

/// The choice and the new name are one step only where FolderLock works: else another process may have taken the name
/// in between. A name that is taken, and is chosen again, is of this process's own report.
Result<std::string> commitReport(
    AtomicFile& file,
    const std::string& folder,
    const std::string& name,
    const Job& job,
    std::string_view ending) {
  for (;;) {
    std::string path = chooseReportPath(folder, name, job, ending);
    bool is_taken = false;
    std::string error = file.commitNew(path, is_taken);
    if (is_taken && chooseReportPath(folder, name, job, ending) == path) {
      is_taken = false;
      error = file.commit(path);
    }
    if (error.empty()) {
      removeOtherEndings(path, ending);
      return path;
    }
    if (!is_taken) {
      return Result<std::string>::failure(error);
    }
  }
}

} // namespace

Result<std::string> writeReportFile(
    const std::string& folder,
    const std::string& name,
    const Report& report,
    Compress compress,
    const std::function<uint64_t()>& end_ns) {
  const std::string plain = folder + "/" + name;
  const std::string parent = plain.substr(0, plain.rfind('/'));
  if (const std::string error = makeFolders(parent); !error.empty()) {
    return Result<std::string>::failure(error);
  }
  const std::string_view ending = endingOf(compress);
  AtomicFile file(plain + std::string(ending));
  const std::unique_ptr<Compressor> compressor = makeCompressor(compress);
  std::string json;
  appendReport(json, report, [&](std::string& piece) {
    file.append(compressor->add(piece, false));
    piece.clear();
  });
  const FolderLock lock(parent);
  if (end_ns) {
    setNumber(json, field::kEndNs, end_ns());
  }
  file.append(compressor->add(json, true));
  return commitReport(file, folder, name, report.job, ending);
}

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
