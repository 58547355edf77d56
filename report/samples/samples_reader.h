// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/result.h"
#include "report/samples/samples.h"

namespace commtap {

class FileDescriptor;

/// Reads the bytes of a samples file. Accepts any bytes. A file that ends early is read up to its last complete sample,
/// and one that is damaged after a sample up to the damage. One that ends before its job, that is damaged before its
/// first sample or of another version is an error.
Result<ProcessSamples> readSamples(std::string_view bytes);

/// Reads a samples file, also while its process writes it. An error has the path.
Result<ProcessSamples> readSamplesFile(const std::string& path);
/// Reads only the job at the start of a samples file. An error has the path.
Result<Job> jobOfSamplesFile(const std::string& path);
/// Reads a samples file that is open. `path` is for errors only.
Result<ProcessSamples> readSamplesFile(const std::string& path, const FileDescriptor& file);

/// Returns parameters as JSON text. What most of them have by default is left out, and meshes and lists of ranks, which
/// many share, are written once: a job may have 100,000 parameters. Replaces invalid UTF-8 in names.
std::string parametersToJson(std::span<const SampledParameter> parameters);

/// Reads such a text. Throws std::runtime_error, which names the field and what was found there.
std::vector<SampledParameter> parametersFromJson(std::string_view text);

} // namespace commtap
