// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// NVTX is headers only: each library that uses it loads the profiler's library by itself, and hands it tables of
// function pointers to fill. This file does so for the three functions that it needs. The layout is that of NVTX 3,
// which profilers of all versions rely on: NVIDIA/NVTX, c/include/nvtx3/nvtxDetail/nvtxTypes.h, nvtxInit.h and
// nvtxImpl.h, and nvtxEventAttributes_v2 of c/include/nvtx3/nvToolsExt.h.

#include "tracker/collectives/nvtx_ranges.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "report/model/vocabulary.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/collectives/collective_observers.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/log.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

constexpr const char* kInjectionPath = "NVTX_INJECTION64_PATH";
constexpr const char* kInitialize = "InitializeInjectionNvtx2";
constexpr const char* kDomain = "commtap";

using Function = void (*)();
/// A table of the functions of a module of NVTX: a null pointer, then where the profiler stores each function.
using FunctionTable = Function**;

/// The modules of NVTX, and the places of the functions that are called here in the tables of theirs.
enum Module : uint8_t { kCore = 1, kCuda, kOpenCl, kCudaRuntime, kCore2, kSync, kModuleCount };
enum Core2 : uint8_t { kPushRange = 4, kPopRange = 5, kCreateDomain = 12 };
constexpr std::array<uint32_t, kModuleCount> kFunctionCounts = {0, 16, 9, 15, 7, 16, 7}; ///< with the null pointer
constexpr size_t kMostFunctions = 16;

enum ExportTable : uint8_t { kCallbacks = 1, kVersionInfo = 3 };

struct CallbackTable {
  size_t struct_size;
  int (*get_module_functions)(uint32_t module, FunctionTable* table, unsigned int* size);
};

struct VersionTable {
  size_t struct_size;
  uint32_t version;
  uint32_t reserved;
  void (*set_injection_version)(uint32_t version);
};

struct EventAttributes {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type;
  int32_t reserved;
  uint64_t payload;
  int32_t message_type;
  const char* message;
};
static_assert(sizeof(EventAttributes) == 48);
constexpr uint16_t kVersion = 3;
constexpr int32_t kAsciiMessage = 1;

using PushRange = int (*)(void* domain, const EventAttributes* attributes);
using PopRange = int (*)(void* domain);
using CreateDomain = void* (*)(const char* name);
using GetExportTable = const void* (*)(uint32_t table);
using Initialize = int (*)(GetExportTable get_table);

/// The functions of the profiler, by module, and the tables through which it stores them. Written while it initializes.
struct Functions {
  std::array<std::array<Function, kMostFunctions>, kModuleCount> stored{};
  std::array<std::array<Function*, kMostFunctions + 1>, kModuleCount> tables{};
};

Functions& functions() {
  static auto* instance = [] {
    auto* made = new Functions(); // leaked on purpose: threads communicate until the process exits
    for (size_t module = 0; module < kModuleCount; ++module) {
      for (size_t i = 1; i < kFunctionCounts[module]; ++i) {
        made->tables[module][i] = &made->stored[module][i];
      }
    }
    return made;
  }();
  return *instance;
}

int getModuleFunctions(uint32_t module, FunctionTable* table, unsigned int* size) {
  if (module == 0 || module >= kModuleCount) {
    return 0;
  }
  if (size != nullptr) {
    *size = kFunctionCounts[module];
  }
  if (table != nullptr) {
    *table = functions().tables[module].data();
  }
  return 1;
}

const void* exportTable(uint32_t table) {
  static const CallbackTable callbacks{sizeof(CallbackTable), getModuleFunctions};
  static const VersionTable version{sizeof(VersionTable), kVersion, 0, [](uint32_t /*version*/) {}};
  return table == kCallbacks ? static_cast<const void*>(&callbacks) : table == kVersionInfo ? &version : nullptr;
}

/// Loads the profiler's library, and lets it store its functions. Returns false if there is none, or if it fails.
bool loadProfiler() {
  const char* path = secure_getenv(kInjectionPath); // a profiler may set it after the process has begun
  if (path == nullptr) {
    logDebug(std::string("COMMTAP_NVTX: no profiler has set ") + kInjectionPath + ": no ranges");
    return false;
  }
  void* library = dlopen(path, RTLD_LAZY);
  void* symbol = library == nullptr ? nullptr : dlsym(library, kInitialize);
  if (symbol == nullptr || reinterpret_cast<Initialize>(symbol)(exportTable) == 0) {
    logWarning(
        std::string(kInjectionPath) + "=" + path + " is no library that accepts NVTX: COMMTAP_NVTX makes no ranges");
    if (library != nullptr) {
      dlclose(library);
    }
    dlerror(); // the job must not see this error
    return false;
  }
  return true;
}

/// The domain and the functions of ranges. `push` is null without a profiler that wants ranges.
struct Ranges {
  void* domain = nullptr;
  PushRange push = nullptr;
  PopRange pop = nullptr;
};

Ranges loadRanges() {
  if (!loadProfiler()) {
    return {};
  }
  const auto& stored = functions().stored[kCore2];
  const auto create = reinterpret_cast<CreateDomain>(stored[kCreateDomain]);
  Ranges ranges{
      nullptr, reinterpret_cast<PushRange>(stored[kPushRange]), reinterpret_cast<PopRange>(stored[kPopRange])};
  if (create == nullptr || ranges.push == nullptr || ranges.pop == nullptr) {
    return {};
  }
  ranges.domain = create(kDomain);
  return ranges;
}

const Ranges& ranges() {
  static const Ranges loaded = loadRanges();
  return loaded;
}

constinit std::atomic<bool> is_on{false};

std::string textOf(const CollectiveKey& key) {
  std::string text = ModuleRegistry::get().nameOf(key.module, ModuleName::kClean);
  if (key.label != 0) {
    text += " [" + std::string(ProcessLedger::ledger().text(key.label)) + "]";
  }
  return text.append(" ").append(phaseName(key.phase));
}

} // namespace

void NvtxRanges::start() {
  if (!is_on.exchange(true)) {
    CollectiveObservers::added();
  }
}

bool NvtxRanges::push(const CollectiveKey& key) {
  bool is_open = false;
  if (is_on.load(std::memory_order_relaxed)) {
    catchAllInSample("an NVTX range", [&] {
      if (ranges().push == nullptr) {
        return;
      }
      const std::string text = textOf(key);
      EventAttributes attributes{};
      attributes.version = kVersion;
      attributes.size = sizeof(EventAttributes);
      attributes.message_type = kAsciiMessage;
      attributes.message = text.c_str();
      ranges().push(ranges().domain, &attributes);
      is_open = true;
    });
  }
  return is_open;
}

void NvtxRanges::pop() {
  catchAllInSample("an NVTX range", [] {
    if (ranges().pop != nullptr) {
      ranges().pop(ranges().domain);
    }
  });
}

} // namespace commtap
