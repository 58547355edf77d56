// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "report/base/atomic_file.h"
#include "report/base/process.h"
#include "report/ledger/ledger_layout.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Kinds of file systems, for files that are mapped and written until the process ends.
enum class Storage : uint8_t { kLocal, kCluster, kNetwork, kMemory };

struct FileSystemRow {
  uint64_t type; ///< f_type of statfs(2)
  std::string_view name;
  Storage storage;
};

constexpr auto kFileSystems = std::to_array<FileSystemRow>({
    {0xEF53, "ext4", Storage::kLocal},
    {0x58465342, "xfs", Storage::kLocal},
    {0x9123683E, "btrfs", Storage::kLocal},
    {0x2FC12FC1, "zfs", Storage::kLocal},
    {0x794C7630, "overlayfs", Storage::kLocal},
    {0x0BD00BD0, "lustre", Storage::kCluster},
    {0x47504653, "gpfs", Storage::kCluster},
    {0x00C36400, "ceph", Storage::kCluster},
    {0x19830326, "beegfs", Storage::kCluster},
    {0x6969, "nfs", Storage::kNetwork},
    {0xFF534D42, "cifs", Storage::kNetwork},
    {0xFE534D42, "smb2", Storage::kNetwork},
    {0x01021997, "9p", Storage::kNetwork},
    {0x65735546, "fuse", Storage::kNetwork},
    {0x01021994, "tmpfs", Storage::kMemory},
    {0x858458F6, "ramfs", Storage::kMemory},
});

const FileSystemRow* findFileSystem(uint64_t type) {
  const auto* row = std::find_if(
      kFileSystems.begin(), kFileSystems.end(), [type](const FileSystemRow& each) { return each.type == type; });
  return row == kFileSystems.end() ? nullptr : row;
}

bool isFolder(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

/// Returns why no file can be made in a folder, "" if one can.
std::string whyNotWritable(const std::string& folder) {
  std::string file = folder + "/.commtap-doctor-XXXXXX";
  const int fd = mkostemp(file.data(), O_CLOEXEC);
  if (fd < 0) {
    return folder + ": " + std::strerror(errno);
  }
  close(fd);
  unlink(file.c_str());
  return {};
}

/// Returns why something in `path` that is not a folder is in the way, "" if nothing is.
std::string whyNotFolder(const std::string& path, const std::string& deepest) {
  const size_t next = path.find_first_not_of('/', deepest.size());
  const std::string below = path.substr(0, path.find('/', std::min(next, path.size())));
  return below != deepest && access(below.c_str(), F_OK) == 0 ? below + " is not a folder" : "";
}

Diagnosis outputDiagnosis(Health health, std::string found, std::string todo = {}) {
  return {DoctorCheck::kOutput, health, std::move(found), std::move(todo)};
}

Diagnosis spaceDiagnosis(Health health, std::string found, std::string todo = {}) {
  return {DoctorCheck::kSpace, health, std::move(found), std::move(todo)};
}

std::string limitText(const std::optional<uint64_t>& bytes) {
  return bytes ? humanBytes(*bytes) : "unlimited";
}

} // namespace

std::string deepestFolder(const std::string& path) {
  for (size_t end = path.size(); end > 0 && end != std::string::npos; end = path.rfind('/', end - 1)) {
    if (const std::string part = path.substr(0, end); isFolder(part)) {
      return part;
    }
  }
  return path.starts_with('/') ? "/" : ".";
}

std::string fileSystemName(uint64_t type) {
  const FileSystemRow* row = findFileSystem(type);
  return row != nullptr ? std::string(row->name) : fmt::format("{:#x}", type);
}

Diagnosis judgeFileSystem(const std::string& folder, uint64_t type) {
  const FileSystemRow* row = findFileSystem(type);
  const std::string found = fmt::format("{} can be written to, on {}", folder, fileSystemName(type));
  if (row != nullptr && row->storage == Storage::kMemory) {
    return outputDiagnosis(
        Health::kWarning,
        found + ": reports take memory and are lost at reboot",
        "set COMMTAP_OUT to a folder on a disk");
  }
  if (row != nullptr && row->storage == Storage::kNetwork) {
    return outputDiagnosis(
        Health::kWarning,
        found + ": other machines see a running job late, and a killed process may lose its last counts",
        "set COMMTAP_OUT to a local disk or to the cluster's parallel file system");
  }
  return outputDiagnosis(Health::kOk, found);
}

Diagnosis checkOutput(const std::string& folder) {
  const std::string deepest = deepestFolder(folder);
  std::string why = whyNotFolder(folder, deepest);
  if (why.empty()) {
    why = deepest == folder ? makeFolders(folder) : "";
  }
  if (why.empty()) {
    why = whyNotWritable(deepest);
  }
  struct statfs facts {};
  if (!why.empty() || statfs(deepest.c_str(), &facts) != 0) {
    return outputDiagnosis(
        Health::kError,
        fmt::format("reports cannot be written to {} ({}) and would go to TMPDIR", folder, why),
        "set COMMTAP_OUT or --out to a folder that you may write to");
  }
  // The kernel's type is signed on some processors: the upper half must not be filled with its sign.
  return judgeFileSystem(folder, static_cast<uint32_t>(facts.f_type));
}

LedgerSpace measureSpace(const std::string& folder) {
  LedgerSpace space;
  struct statfs facts {};
  if (statfs(folder.c_str(), &facts) == 0) {
    space.disk_free = static_cast<uint64_t>(facts.f_bavail) * static_cast<uint64_t>(facts.f_bsize);
  }
  space.address_space = addressSpaceLeft();
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    space.file_size = limit.rlim_cur;
  }
  return space;
}

Diagnosis checkSpace(const LedgerSpace& space) {
  constexpr uint64_t kLittleDisk = 64U << 20U; ///< bytes; the ledgers of most jobs take less than a MiB per process
  const uint64_t full = kFullLedger.mappedBytes();
  const std::string found = fmt::format(
      "{} free on the disk, ulimit -v {}, ulimit -f {}{}",
      humanBytes(space.disk_free),
      limitText(space.address_space),
      limitText(space.file_size),
      space.samples == 0 ? "" : fmt::format(", samples of up to {} per process", humanBytes(space.samples)));
  if (space.address_space && *space.address_space < full) {
    return spaceDiagnosis(
        Health::kError, found + ": too little for a ledger, so nothing is counted", "raise ulimit -v");
  }
  if (space.disk_free < kLittleDisk) {
    return spaceDiagnosis(
        Health::kWarning, found + ": a full disk keeps ledgers in memory, and kills lose them", "free some disk space");
  }
  if (space.disk_free < kLittleDisk + space.samples) {
    return spaceDiagnosis(
        Health::kWarning, found + ": a full disk ends the samples for commtap verify", "free some disk space");
  }
  if (space.address_space && *space.address_space < kLittleAddressSpace) {
    return spaceDiagnosis(
        Health::kWarning, found + ": ledgers have a sixteenth of their tables", "raise ulimit -v above 8 GiB");
  }
  if (space.file_size && *space.file_size < full) {
    return spaceDiagnosis(
        Health::kWarning, found + ": counts stay in memory, and kills lose them", "raise ulimit -f above 70 MiB");
  }
  return spaceDiagnosis(Health::kOk, found);
}

} // namespace commtap
