// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/json/columns.h"
#include "report/json/fields.h"
#include "report/model/vocabulary.h"
#include "report/runs/report_scan.h"
#include "tools/command/interpreter.h"
#include "tools/run/environment.h"
#include "tools/text/table.h"

namespace commtap {

enum class Health : uint8_t { kOk, kWarning, kError };
template <>
struct EnumNames<Health> : Named<Health> {
  static constexpr const char* kHelp =
      "error: a job would not be counted. warning: it would be, perhaps not as expected. ok: neither.";
  static constexpr auto kNames = std::to_array<std::string_view>({"ok", "warning", "error"});
};

/// The checks of `commtap doctor`, in the order in which it prints them.
enum class DoctorCheck : uint8_t {
  kCommand,
  kPython,
  kTorch,
  kOptions,
  kTracker,
  kPythonPart,
  kPermissions,
  kSymbols,
  kNccl,
  kNeighbours,
  kOutput,
  kSpace,
  kPreload,
  kReport,
};
template <>
struct EnumNames<DoctorCheck> : Named<DoctorCheck> {
  static constexpr const char* kHelp = "The check; commtap help doctor lists them.";
  static constexpr auto kValues = std::to_array<NamedValue>({
      {"command",
       "The program of COMMAND exists, and `LD_PRELOAD` has an effect in it: it is not static, not setuid and of this "
       "processor. The programs before it (`srun`, `docker`, `sudo`) start it here and with this environment."},
      {"python",
       "Which Python COMMAND uses, by the first line of scripts such as `torchrun`; without COMMAND, the one that "
       "commtap is installed in, else `python3`."},
      {"torch", "Which torch that Python would import, and whether it is a release."},
      {"options", "Each `COMMTAP_` variable is an option and has a valid value; commtap is not switched off."},
      {"tracker", "The tracker for the minor version of that torch is installed."},
      {"python part", "The part for the minor version of that Python is installed; without it modules are unknown."},
      {"permissions", "Only you, root or the owner of the installation can replace the files that commtap loads."},
      {"symbols", "torch has every C++ function that commtap interposes for Gloo's durations."},
      {"nccl",
       "Which NCCL or RCCL torch calls, and whether its calls can be seen: only those of a shared library can."},
      {"neighbours", "Other preloaded libraries, auditors and profilers that share the process with commtap."},
      {"output", "`COMMTAP_OUT` can be written to, and on which file system it is."},
      {"space", "The disk and the limits (`ulimit`) have room for ledgers and samples."},
      {"preload",
       "A small process of that Python was started as `commtap run` would, imported torch and loaded commtap."},
      {"report", "That process made one collective of one module, and its report has both and nothing in `not_seen`."},
  });
  static constexpr auto kNames = namesOf(kValues);
};

/// The result of one check.
struct Diagnosis {
  DoctorCheck check;
  Health health = Health::kOk;
  std::string found;
  std::string todo = {}; ///< what the user should do; "" if nothing
};

/// The JSON of `commtap doctor`.
struct DoctorReport {
  std::string schema = "commtap.doctor/1";
  std::string verdict = {}; ///< verdictOf() the checks
  std::vector<Diagnosis> checks;
};

template <>
inline constexpr auto kColumns<Diagnosis> = std::tuple{
    column("check", &Diagnosis::check, ""),
    column("state", &Diagnosis::health, ""),
    column("found", &Diagnosis::found, "What was found, in one sentence."),
    column("todo", &Diagnosis::todo, "What to do; empty if nothing."),
};

template <>
inline constexpr auto kColumns<DoctorReport> = std::tuple{
    column(field::kSchema, &DoctorReport::schema, kSchemaHelp),
    column("verdict", &DoctorReport::verdict, "Whether a job would be counted, in one sentence."),
    column("checks", &DoctorReport::checks, "The checks, in the order of their table; a check may have several."),
};

/// Returns whether no check found an error.
bool isHealthy(const std::vector<Diagnosis>& diagnoses);

/// Returns whether a job would be counted, in one sentence.
std::string verdictOf(const std::vector<Diagnosis>& diagnoses);

/// Returns one line per diagnosis, errors first: its health, the name of the check, what was found and what to do. The
/// last line says whether a job would be counted.
std::string diagnosesText(const std::vector<Diagnosis>& diagnoses, const Color& color);

/// Runs all checks for a command, in the order of DoctorCheck. `variables` has the form of `environ`. Looks for commtap
/// relative to `executable_folder`. Calls `progress` between checks that take long.
std::vector<Diagnosis> examine(
    const std::vector<std::string>& command,
    const char* const* variables,
    const std::string& executable_folder,
    const Progress& progress);

/// Returns whether doctor may start its own process through these words: all are programs that only change the
/// environment, limits or priority of what they start on this machine.
bool mayRunWrapper(const std::vector<std::string>& wrapper, const Environment& environment);

/// Checks the program of a command and the programs that start it. `command` is as the user gave it.
Diagnosis
checkCommand(const std::vector<std::string>& command, const JobProgram& program, const Environment& environment);

/// `is_assumed`: the command names no Python; the one on the PATH was examined.
Diagnosis checkPython(const Result<Interpreter>& interpreter, bool is_assumed);

/// `is_forced`: COMMTAP_TORCH is "force", which accepts a version that is not a release. `has_own_tracker`: a tracker
/// was built for this version.
Diagnosis checkTorch(const Result<TorchFiles>& torch, bool is_forced, bool has_own_tracker);

/// Returns the tracker that the stub `library` would load for a torch: built by this user for its whole version,
/// installed for its minor, or in a build folder; "" if there is none.
std::string findTracker(const std::string& library, const TorchFiles& torch);

/// Returns the Python part that the tracker would load for a build of Python such as "3.11"; "" if there is none.
std::string findPythonPart(const std::string& tracker, const std::string& python_build);

/// Returns whether the user has built a tracker for exactly this torch, and it may be loaded.
bool hasBuiltTracker(const TorchFiles& torch);

Diagnosis checkTracker(const std::string& library, const TorchFiles& torch);
Diagnosis checkPythonPart(const std::string& tracker, const std::string& python_build);

/// Checks that only trusted users can write to the files, by the rule of the stub. Leaves out paths that are "".
Diagnosis checkPermissions(const std::string& library, const std::vector<std::string>& files);

/// Checks that torch defines every C++ function that the stub interposes.
Diagnosis checkSymbols(const std::string& library, const std::string& cpu_library);

/// Finds the NCCL or RCCL that torch calls. `torch_lib`: the folder of libtorch_cpu.so; `nvidia_folders`: of the
/// namespace package `nvidia`.
Diagnosis checkNccl(const std::string& torch_lib, const std::vector<std::string>& nvidia_folders);

/// Checks the names and values of the COMMTAP_ variables: one diagnosis per wrong one, or one if all are right.
std::vector<Diagnosis> checkOptions(const Environment& environment);

/// Looks for other libraries in LD_PRELOAD, auditors and profilers. `library`: commtap's own; `command`: the job's;
/// `has_memory_saver`: the job's Python has torch_memory_saver, some versions of which take LD_PRELOAD for one path.
std::vector<Diagnosis> checkNeighbours(
    const Environment& environment,
    const std::string& library,
    const std::vector<std::string>& command,
    bool has_memory_saver = false);

/// Returns the deepest folder of `path` that exists.
std::string deepestFolder(const std::string& path);

/// Returns the name of a file system by the number in statfs(): "ext4", "nfs"; its hexadecimal number if unknown.
std::string fileSystemName(uint64_t type);

/// Checks that the folder of the reports can be made and written to, by making a file in it or in the deepest part of
/// it that exists. Leaves nothing behind.
Diagnosis checkOutput(const std::string& folder);

/// Judges the file system of the folder: what it means for reports and ledgers.
Diagnosis judgeFileSystem(const std::string& folder, uint64_t type);

/// The space that a process may use, in bytes. nullopt: no limit.
struct LedgerSpace {
  uint64_t disk_free = 0;
  std::optional<uint64_t> address_space;
  std::optional<uint64_t> file_size;
  uint64_t samples = 0; ///< what its samples file may take
};

/// Measures the space for a ledger in a folder that exists.
LedgerSpace measureSpace(const std::string& folder);
Diagnosis checkSpace(const LedgerSpace& space);

} // namespace commtap
