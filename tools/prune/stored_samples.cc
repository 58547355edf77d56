// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/stored_samples.h"

#include <utility>

#include "report/runs/samples_paths.h"
#include "report/samples/samples_reader.h"

namespace commtap {

std::vector<StoredFile>
storedSamples(const std::string& folder, std::vector<std::string>& problems, const std::string& consequence) {
  std::vector<StoredFile> files;
  for (const std::string& path : samplesPaths(folder, problems)) {
    const Result<Job> job = jobOfSamplesFile(path);
    StoredFile file;
    file.path = path;
    file.is_samples = true;
    if (!job) {
      problems.push_back(job.error() + consequence);
    } else if (file.run_id = job->run_id; lookUp(0, file)) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

} // namespace commtap
