// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "report/runs/output.h"
#include "report/samples/samples.h"
#include "tools/cli/run_note.h"
#include "tools/cli/verb.h"
#include "tools/command/elf_file.h"
#include "tools/doctor/probe.h"
#include "tools/run/preload.h"
#include "tools/run/run_setup.h"

namespace commtap {
namespace {

/// Returns whether the file ends as a zip archive.
bool isZip(const std::string& path) {
  constexpr std::streamoff kMostEnd = 22 + 65535; // of the last record, with its comment
  constexpr std::string_view kLastRecord = "PK\x05\x06";
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.is_open() ? static_cast<std::streamoff>(file.tellg()) : 0;
  file.seekg(std::max<std::streamoff>(0, size - kMostEnd));
  const std::string end{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return end.find(kLastRecord) != std::string::npos;
}

/// Examines one command. Each function adds the diagnoses of its checks and keeps what later ones need.
class Examination {
 public:
  Examination(std::vector<std::string> command, RunSetup setup, std::string library, const Progress& progress)
      : command_(std::move(command)), setup_(std::move(setup)), library_(std::move(library)), progress_(progress) {}

  std::vector<Diagnosis> run() {
    progress_(0, kParts);
    findProgram();
    if (isNative()) {
      examineNative();
    } else if (!program_.path.empty() && whyNoPreload(program_.path, environment()).empty()) {
      examinePython();
    }
    examineSurroundings();
    std::stable_sort(
        diagnoses_.begin(), diagnoses_.end(), [](const Diagnosis& a, const Diagnosis& b) { return a.check < b.check; });
    return std::move(diagnoses_);
  }

 private:
  const Environment& environment() const {
    return setup_.environment;
  }
  void add(Diagnosis diagnosis) {
    diagnoses_.push_back(std::move(diagnosis));
  }
  /// Adds what is true of the Python that was asked. It is no error if the job may use another one, or other modules.
  void addOfPython(Diagnosis diagnosis) {
    if (diagnosis.health == Health::kError && is_guess_) {
      diagnosis.health = Health::kWarning;
      diagnosis.found += ", but what the job loads is not known";
      diagnosis.todo = "run it: commtap run -- COMMAND says at its end whether it was counted";
    }
    add(std::move(diagnosis));
  }

  void findProgram() {
    program_ = findJobProgram(command_, environment());
    add(checkCommand(command_, program_, environment()));
    linked_ = program_.python.empty() ? librariesAtStart(program_.path, environment()) : std::vector<std::string>();
  }

  /// A program in C++ that links torch.
  bool isNative() const {
    return !libraryNamed(linked_, "libtorch_cpu.so").empty();
  }

  void examineNative() {
    add({DoctorCheck::kPython, Health::kOk, "none: " + program_.path + " links torch itself"});
    examineTorch(readTorchFiles(libraryNamed(linked_, "libtorch_cpu.so"), ""));
    const bool is_loaded = !libraryNamed(linked_, "libcommtap.so").empty();
    add(
        {DoctorCheck::kPreload,
         is_loaded ? Health::kOk : Health::kError,
         is_loaded ? "the dynamic linker loads commtap into the program"
                   : "the dynamic linker does not load " + library_,
         is_loaded ? "" : "install commtap where this machine may execute files"});
  }

  void examinePython() {
    const bool is_assumed = program_.python.empty();
    const std::string python = is_assumed ? findOnPath("python3", environment()) : program_.python;
    is_guess_ = is_assumed || bringsModules();
    if (python.empty()) {
      addOfPython({DoctorCheck::kPython, Health::kError, "the command names no Python, and the PATH has no python3"});
      return;
    }
    std::vector<std::string> start = {python};
    if (mayRunWrapper(program_.wrapper, environment())) {
      start.insert(start.begin(), program_.wrapper.begin(), program_.wrapper.end());
    }
    Environment without_preload = environment();
    without_preload.unset("LD_PRELOAD");
    const Result<Interpreter> interpreter = askInterpreter(start, without_preload);
    addOfPython(checkPython(interpreter, is_assumed));
    progress_(1, kParts);
    if (!interpreter) {
      return;
    }
    nvidia_folders_ = interpreter->nvidia_folders;
    has_memory_saver_ = interpreter->has_memory_saver;
    python_build_ = interpreter->build();
    examineTorch(findTorchFiles(interpreter->torch_folder));
    progress_(2, kParts);
    if (has_torch_ && setup_.options.enabled) {
      const Probe probe = runProbe(start, environment(), library_);
      addOfPython(checkPreload(probe, library_));
      addOfPython(checkReport(probe));
    }
  }

  /// Returns whether the program is a folder or zip archive, such as a pex, which may have modules of its own.
  bool bringsModules() const {
    const auto isBundle = [](const std::string& path) {
      std::error_code error;
      return std::filesystem::is_directory(path, error) || isZip(path);
    };
    const size_t after = program_.wrapper.size() + 1;
    const auto script = std::find_if(
        command_.begin() + static_cast<std::ptrdiff_t>(std::min(after, command_.size())),
        command_.end(),
        [](const std::string& word) { return !word.starts_with('-'); });
    return isBundle(program_.path) || (script != command_.end() && isBundle(*script));
  }

  void examineTorch(const Result<TorchFiles>& torch) {
    addOfPython(checkTorch(
        torch,
        environment().get("COMMTAP_TORCH") == "force",
        torch && !torch->version.empty() && hasBuiltTracker(*torch)));
    has_torch_ = torch && !torch->version.empty();
    if (!has_torch_) {
      return;
    }
    const std::string tracker = findTracker(library_, *torch);
    addOfPython(checkTracker(library_, *torch));
    if (!python_build_.empty() && !tracker.empty()) { // the part lies next to the tracker
      add(checkPythonPart(tracker, python_build_));
    }
    // A built tracker has a stricter rule of its own, in checkTracker().
    add(checkPermissions(
        hasBuiltTracker(*torch) ? tracker : library_, {tracker, findPythonPart(tracker, python_build_)}));
    add(checkSymbols(library_, torch->cpu_library));
    add(checkNccl(torch->folder(), nvidia_folders_));
  }

  void examineSurroundings() {
    for (Diagnosis& diagnosis : checkOptions(environment())) {
      add(std::move(diagnosis));
    }
    for (Diagnosis& diagnosis : checkNeighbours(environment(), library_, command_, has_memory_saver_)) {
      add(std::move(diagnosis));
    }
    const std::string folder = commonFolder(setup_.options.out, setup_.options.run_id);
    add(checkOutput(folder));
    LedgerSpace space = measureSpace(deepestFolder(folder));
    space.samples = setup_.options.verify.isOn() ? kMostSamplesBytes : 0;
    add(checkSpace(space));
  }

  static constexpr size_t kParts = 3; ///< the Python, torch, and a process that counts

  std::vector<std::string> command_;
  RunSetup setup_;
  std::string library_;
  const Progress& progress_;
  JobProgram program_;
  std::vector<std::string> linked_; ///< libraries of a program that is not Python
  std::vector<std::string> nvidia_folders_;
  std::string python_build_;
  bool is_guess_ = false; ///< the job may use another Python than the one that was asked, or other modules
  bool has_memory_saver_ = false;
  bool has_torch_ = false;
  std::vector<Diagnosis> diagnoses_;
};

/// Returns the command of `commtap run [OPTIONS] -- COMMAND`.
std::vector<std::string> withoutCommtapRun(const std::vector<std::string>& command) {
  const bool is_run =
      command.size() > 1 && command[1] == "run" && (command[0] == "commtap" || command[0].ends_with("/commtap"));
  return is_run ? splitArguments(runVerb(), {command.begin() + 2, command.end()}).command : command;
}

} // namespace

std::vector<Diagnosis> examine(
    const std::vector<std::string>& command,
    const char* const* variables,
    const std::string& executable_folder,
    const Progress& progress) {
  const Result<std::string> library = findLibrary(executable_folder);
  Result<RunSetup> setup = setUpRun(variables, {}, executable_folder);
  if (!library || !setup) {
    return {
        {DoctorCheck::kPreload, Health::kError, library ? setup.error() : library.error(), "install commtap again"}};
  }
  std::vector<std::string> words = withoutCommtapRun(command);
  if (words.empty()) {
    words = {ownPython()};
  }
  return Examination(std::move(words), std::move(*setup), *library, progress).run();
}

} // namespace commtap
