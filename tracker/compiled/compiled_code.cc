// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/compiled_code.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "tracker/attribution/module_registry.h"
#include "tracker/compiled/forward_roots.h"
#include "tracker/compiled/graph_lines.h"
#include "tracker/compiled/module_sources.h"
#include "tracker/compiled/side_files.h"
#include "tracker/core/log.h"
#include "tracker/core/thread_state.h"
#include "tracker/torch/compat.h"

namespace commtap {
namespace {

constinit std::atomic<const CommtapPython*> python{nullptr};
constinit std::atomic<bool> any_traced{false};
constinit std::atomic<bool> compiler_watched{false};

/// The place of a call site; null for a site whose node cannot be found.
using SharedPlace = std::shared_ptr<const GraphPlace>;

/// The module of a place, and the parts of a merged collective.
struct Resolved {
  uint32_t module = kGlobalModule;
  std::shared_ptr<const ModuleParts> merged{};
};

/// A site, and the module that was called when it ran: instances of a class can share their code.
struct SiteInModule {
  CommtapSite site;
  uint32_t module;
  bool operator==(const SiteInModule&) const = default;
};
struct SiteHash {
  static size_t mixed(size_t hash, const CommtapGraphCall& call) {
    return (hash ^ reinterpret_cast<uintptr_t>(call.instruction)) * 0x9e3779b97f4a7c15U;
  }
  size_t operator()(const CommtapSite& site) const {
    return std::accumulate(
        std::begin(site.regions), std::end(site.regions), mixed(0, site.collective), SiteHash::mixed);
  }
  size_t operator()(const SiteInModule& site) const {
    return (*this)(site.site) ^ site.module;
  }
};

/// Returns whether a site's next collective is the same one. False for an interpreter: one line of it runs every node.
bool isLasting(const CommtapSite& site) {
  const auto calls_one = [](const CommtapGraphCall& call) {
    return call.code == nullptr || call.instruction != nullptr;
  };
  return calls_one(site.collective) && std::all_of(std::begin(site.regions), std::end(site.regions), calls_one);
}

/// Everything that is known of compiled code. Never destroyed: it is used until the process exits.
struct Known {
  static constexpr size_t kMost = 65536; ///< entries of each table

  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const GraphLines>> files; ///< by their name, which is a hash
  std::unordered_map<CommtapSite, SharedPlace, SiteHash> places;
  std::unordered_map<SiteInModule, Resolved, SiteHash> modules;
  ForwardRoots roots;
};

Known& known() {
  static auto* instance = new Known();
  return *instance;
}

template <typename Table, typename Key, typename Value>
void remember(Table& table, const Key& key, const Value& value) {
  if (table.size() < Known::kMost) {
    table.insert_or_assign(key, value);
  }
}

/// Returns the name of a generated file, which is a hash.
std::string keyOf(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  return path.substr(name, path.rfind('.') - name);
}

/// Returns the lines of a generated file: those of this process's compilation, else those of its side file.
std::shared_ptr<const GraphLines> linesOf(const std::string& path) {
  const std::string key = keyOf(path);
  {
    const std::lock_guard<std::mutex> lock(known().mutex);
    if (const auto found = known().files.find(key); found != known().files.end()) {
      return found->second;
    }
  }
  const size_t folder = path.rfind('/', path.rfind('/') - 1); // the file is in a folder of the cache
  const std::optional<std::string> text =
      folder == std::string::npos ? std::nullopt : SideFiles(path.substr(0, folder)).read(key);
  std::optional<GraphLines> lines = text ? GraphLines::parse(*text) : std::nullopt;
  auto shared = lines ? std::make_shared<const GraphLines>(std::move(*lines)) : nullptr;
  const std::lock_guard<std::mutex> lock(known().mutex);
  remember(known().files, key, shared);
  return shared;
}

/// Reads what the code of a call says. Takes the GIL, so the caller holds no lock.
std::optional<GraphPlace> readCall(const CommtapPython& part, const CommtapGraphCall& call) {
  uint32_t line = 0;
  std::string text;
  const auto take = [](void* into, const char* found) { *static_cast<std::string*>(into) = found; };
  if (part.read_call(&call, &line, take, &text) == 0) {
    return std::nullopt;
  }
  if (line == 0) {
    std::optional<GraphPlace> place = parsePlace(text);
    if (place) {
      place->runs_eagerly = true;
    }
    return place;
  }
  const std::shared_ptr<const GraphLines> lines = linesOf(text);
  return lines == nullptr ? std::nullopt : lines->at(line);
}

/// Reads the place of a site's collective, for the calls of the regions that it is in.
SharedPlace readPlace(const CommtapPython& part, const CommtapSite& site) {
  std::optional<GraphPlace> place = readCall(part, site.collective);
  for (const CommtapGraphCall& region : site.regions) {
    const std::optional<GraphPlace> call = place && region.code != nullptr ? readCall(part, region) : std::nullopt;
    if (call && call->is_region && place->is_known) {
      place = placeInCall(std::move(*place), *call);
    }
  }
  if (place && place->runs_eagerly) { // unless the graph is the forward of one autograd node
    place->runs_eagerly = part.forward_node(&site) < 0;
  }
  return place ? std::make_shared<const GraphPlace>(std::move(*place)) : nullptr;
}

SharedPlace placeOf(const CommtapPython& part, const CommtapSite& site) {
  if (!isLasting(site)) {
    return readPlace(part, site);
  }
  {
    const std::lock_guard<std::mutex> lock(known().mutex);
    if (const auto found = known().places.find(site); found != known().places.end()) {
      return found->second;
    }
    if (known().places.size() >= Known::kMost) {
      return nullptr;
    }
  }
  SharedPlace place = readPlace(part, site);
  const std::lock_guard<std::mutex> lock(known().mutex);
  remember(known().places, site, place);
  return place;
}

/// Returns whether the backward is that of a function that calls no module. Compiled autograd runs graphs outside of
/// any node, those of modules too.
bool isWithoutModules(const GraphPlace& place) {
  return !place.has_modules && compat::currentNode();
}

/// Returns the module of a source in the graph of a function, which has no scope.
std::optional<uint32_t> moduleOfFunction(
    const CommtapPython& part,
    const CommtapSite& site,
    const std::string& source,
    const SourceParts& parts) {
  const uint32_t named = part.module_at(&site, source.c_str());
  if (named == kCommtapUnknownModule) {
    return ModuleRegistry::get().onlyBelowARoot(parts.path);
  }
  const int64_t node = part.forward_node(&site);
  const uint32_t root = node < 0 ? kCommtapUnknownModule : part.module_at(&site, parts.root.c_str());
  if (root != kCommtapUnknownModule) {
    const NodeNumber number{compat::threadId(), static_cast<uint64_t>(node)};
    const bool has_other_name = ModuleRegistry::get().below(root, parts.path) != named;
    const std::lock_guard<std::mutex> lock(known().mutex);
    known().roots.note(number, parts.root, root);
    if (has_other_name) { // the registry knows a module that is in two places by the first
      known().roots.note(number, source, named);
    }
  }
  return named;
}

/// Returns the module of a source in the backward of a function's graph.
std::optional<uint32_t> moduleOfBackward(const std::string& source, const SourceParts& parts) {
  const auto node = compat::currentNode();
  std::optional<uint32_t> module;
  std::optional<uint32_t> root;
  if (node && compat::hasSequenceNumber(*node)) {
    const NodeNumber number{node->thread_id(), node->sequence_nr()};
    const std::lock_guard<std::mutex> lock(known().mutex);
    module = known().roots.find(number, source);
    root = known().roots.find(number, parts.root);
  }
  if (module) {
    return module;
  }
  return root ? ModuleRegistry::get().below(*root, parts.path) : ModuleRegistry::get().onlyBelowARoot(parts.path);
}

/// Returns the module of one source. Sets `lasting` to false if the site's next call in the same module can be for
/// another.
std::optional<uint32_t> moduleOf(
    const CommtapPython& part,
    const CommtapSite& site,
    const std::string& source,
    uint32_t entry,
    bool in_engine,
    bool& lasting) {
  const SourceParts parts = partsOf(source);
  const bool is_inside = entry != kGlobalModule && parts.is_entry;
  if (const auto inside = is_inside ? ModuleRegistry::get().below(entry, parts.path) : std::nullopt) {
    return inside;
  }
  lasting = false;
  return in_engine ? moduleOfBackward(source, parts) : moduleOfFunction(part, site, source, parts);
}

/// Returns the module of a place, the nearest common ancestor if it has several; nullopt if one is not known.
std::optional<Resolved>
resolve(const CommtapPython& part, const CommtapSite& site, const GraphPlace& place, uint32_t entry, bool in_engine) {
  bool lasting = isLasting(site);
  if (lasting) {
    const std::lock_guard<std::mutex> lock(known().mutex);
    if (const auto found = known().modules.find({site, entry}); found != known().modules.end()) {
      return found->second;
    }
  }
  std::optional<uint32_t> common;
  ModuleParts parts;
  for (size_t i = 0; i < place.sources.size(); ++i) {
    const std::optional<uint32_t> module = moduleOf(part, site, place.sources[i], entry, in_engine, lasting);
    if (!module) {
      return std::nullopt;
    }
    common = common ? ModuleRegistry::get().commonAncestor(*common, *module) : *module;
    if (!place.sizes.empty()) {
      parts.push_back({*module, place.sizes[i]});
    }
  }
  Resolved resolved{common.value_or(kGlobalModule), nullptr};
  if (place.sources.size() > 1) {
    resolved.merged = std::make_shared<const ModuleParts>(std::move(parts));
  }
  if (lasting) {
    const std::lock_guard<std::mutex> lock(known().mutex);
    remember(known().modules, SiteInModule{site, entry}, resolved);
  }
  return resolved;
}

void applyPhase(const GraphPlace& place, bool in_engine, Origin& origin) {
  if (in_engine) {
    origin.phase = place.backward ? Phase::kBackward : Phase::kRecompute;
  } else if (place.backward) {
    origin.phase = Phase::kBackward;
  } else if (origin.phase == Phase::kOther) {
    origin.phase = Phase::kForward;
  }
}

/// Notes the module whose forward made autograd's last node: the function that communicates, which turns gradients off.
/// No module is called in the graph, so the backward would be that of the module around it.
void noteForward(uint32_t module) {
  ThreadState* thread = ThreadState::ifKnown();
  if (thread != nullptr && !compat::gradEnabled()) {
    thread->timeline.noteLastNode(compat::nextSequenceNumber(), module, thread->currentModule());
  }
}

} // namespace

void CompiledCode::setPython(const CommtapPython* part) {
  python.store(part, std::memory_order_release);
}

void CompiledCode::traced() {
  any_traced.store(true, std::memory_order_relaxed);
  const CommtapPython* part = python.load(std::memory_order_acquire);
  if (part != nullptr && !compiler_watched.load(std::memory_order_relaxed) && part->watch_compiler() != 0) {
    compiler_watched.store(true, std::memory_order_relaxed);
  }
}

CompiledCall CompiledCode::attribute(bool in_engine, Origin& origin) {
  constexpr int kNear = 4; // the operator's Python function lies between the graph's code and this
  constexpr int kFar = 40; // a graph's code can also call a function that communicates
  const CommtapPython* part = python.load(std::memory_order_acquire);
  CommtapSite site{};
  if (part == nullptr || part->find_site(any_traced.load(std::memory_order_relaxed) ? kFar : kNear, &site) == 0) {
    return {};
  }
  SharedPlace place = placeOf(*part, site);
  if (place != nullptr && place->is_only_forward && in_engine) {
    place = nullptr;
  }
  const bool is_known = place != nullptr && place->is_known;
  if (is_known && place->sources.empty()) { // the entry's own
    if (origin.issued_in == kGlobalModule && (in_engine || place->backward)) {
      origin.phase = Phase::kBackward;
      // For instance compiled autograd: its graphs are of no module, but have the nodes of modules.
      origin.missed = in_engine && isWithoutModules(*place) ? Origin::kNothing : NotSeen::kCompiledUnattributed;
    }
    return {.is_compiled = true};
  }
  const std::optional<Resolved> resolved =
      is_known ? resolve(*part, site, *place, origin.issued_in, in_engine) : std::nullopt;
  if (place != nullptr) {
    applyPhase(*place, in_engine, origin);
  }
  if (!resolved) {
    origin.missed = NotSeen::kCompiledUnattributed;
    return {.is_compiled = true};
  }
  if (place->runs_eagerly && !in_engine) {
    noteForward(resolved->module);
  }
  origin.module = resolved->module;
  origin.missed = Origin::kNothing;
  return {true, resolved->merged};
}

void CompiledCode::graphGenerated(const std::string& cache, const std::string& key, std::string_view lines) {
  std::optional<GraphLines> parsed = GraphLines::parse(lines);
  if (!parsed) {
    return;
  }
  auto shared = std::make_shared<const GraphLines>(std::move(*parsed));
  {
    const std::lock_guard<std::mutex> lock(known().mutex);
    remember(known().files, key, shared);
  }
  if (const std::string error = SideFiles(cache).write(key, lines); !error.empty()) {
    logDebug("modules of a compiled graph are not kept for later processes: " + error);
  }
}

bool CompiledCode::wantsGraph(const std::string& path) {
  return linesOf(path) == nullptr;
}

void CompiledCode::graphLoaded(const std::string& path, std::string_view lines) {
  if (std::optional<GraphLines> parsed = GraphLines::parse(lines)) {
    auto shared = std::make_shared<const GraphLines>(std::move(*parsed));
    const std::lock_guard<std::mutex> lock(known().mutex);
    remember(known().files, keyOf(path), shared);
  }
}

ForkLock CompiledCode::forkLock() {
  return {&known().mutex, [] { new (&known()) Known(); }, "compiled code at a fork"};
}

} // namespace commtap
