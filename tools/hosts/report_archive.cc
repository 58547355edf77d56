// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/report_archive.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "report/json/report_json.h"
#include "report/runs/compressor.h"
#include "tools/text/whole_number.h"

namespace commtap {

std::string archiveOf(std::span<const std::shared_ptr<const Report>> reports) {
  std::string archive;
  for (const auto& report : reports) {
    const std::string packed = makeCompressor(Compress::kZstd)->add(reportToJson(*report), /*is_last=*/true);
    archive += fmt::format("{}\n", packed.size());
    archive += packed;
  }
  return archive;
}

std::string unpackArchive(std::string_view archive, const std::string& prefix) {
  for (size_t number = 0; !archive.empty(); ++number) {
    const size_t line = std::min(archive.find('\n'), archive.size());
    const std::optional<int64_t> size = wholeNumber(archive.substr(0, line));
    archive.remove_prefix(std::min(line + 1, archive.size()));
    if (!size || static_cast<size_t>(*size) > archive.size()) {
      return "its archive of reports is not complete";
    }
    const std::string path = fmt::format("{}-{}.json.zst", prefix, number);
    std::ofstream file(path, std::ios::binary);
    file.write(archive.data(), *size);
    if (!file.flush()) {
      return "cannot write " + path;
    }
    archive.remove_prefix(static_cast<size_t>(*size));
  }
  return "";
}

} // namespace commtap
