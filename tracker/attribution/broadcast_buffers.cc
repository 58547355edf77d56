// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/broadcast_buffers.h"

#include <atomic>
#include <bit>
#include <string>
#include <unordered_map>
#include <utility>

#include "tracker/attribution/module_registry.h"
#include "tracker/torch/function_names.h"
#include "tracker/torch/module_names.h"

namespace commtap {
struct BroadcastBuffers {
  struct Buffer {
    WeakTensor tensor; ///< keeps the address of its object, so that no other tensor gets it
    uint32_t version;
    c10::ScalarType dtype;
    ModulePart part;
  };
  struct OfDdp {
    std::vector<Buffer> buffers;
    c10::ScalarType first = c10::ScalarType::Undefined; ///< that a forward sends: later calls may count up versions
    uint64_t forwards = 0;
  };
  std::unordered_map<uint32_t, OfDdp> of_ddp;
};

namespace {

using Buffers = std::vector<BroadcastBuffers::Buffer>;

constinit std::atomic<ReadDdpBuffers> read_buffers{nullptr};

/// Returns the nearest module with a row, of those around a buffer.
uint32_t ownerOf(uint32_t ddp, std::string path) {
  for (size_t end = path.rfind('.'); end != std::string::npos; end = path.rfind('.')) {
    path.resize(end);
    if (const auto module = ModuleRegistry::get().below(ddp, path)) {
      return *module;
    }
  }
  return ddp;
}

/// Skips a subclass that is dispatched to Python, whose size may be the job's code.
void take(void* data, uint32_t ddp, void* tensor, const char* name) {
  const auto* impl = static_cast<const c10::TensorImpl*>(tensor);
  if (impl != nullptr && !impl->key_set().has(c10::DispatchKey::Python) && impl->version_counter().enabled()) {
    const std::string path = std::string(torch_names::kWrappedArgument) + "." + name;
    const uint64_t bytes = static_cast<uint64_t>(impl->numel()) * impl->itemsize();
    const bool is_statistic = path.find(torch_names::kStatistic) != std::string::npos;
    static_cast<Buffers*>(data)->push_back(
        {weakReference(*impl),
         impl->version_counter().current_version(),
         c10::typeMetaToScalarType(impl->dtype()),
         {ownerOf(ddp, path), bytes, is_statistic ? 1U : 0U}});
  }
}

void look(uint32_t ddp, Buffers& buffers) {
  const Buffers before = std::exchange(buffers, {});
  if (const ReadDdpBuffers read = read_buffers.load(std::memory_order_acquire)) {
    read(ddp, take, &buffers);
  }
  for (size_t i = 0; i < buffers.size() && !before.empty(); ++i) {
    BroadcastBuffers::Buffer& now = buffers[i];
    const bool is_same = i < before.size() && now.version == before[i].version &&
                         now.tensor._unsafe_get_target() == before[i].tensor._unsafe_get_target();
    now.part.changes |= is_same ? 0U : 1U;
  }
}

} // namespace

void setReadDdpBuffers(ReadDdpBuffers function) {
  read_buffers.store(function, std::memory_order_release);
}

ModuleParts buffersInCall(ThreadState& thread, uint32_t ddp, c10::ScalarType dtype) {
  if (thread.broadcast_buffers == nullptr) {
    thread.broadcast_buffers = std::make_shared<BroadcastBuffers>();
  }
  BroadcastBuffers::OfDdp& known = thread.broadcast_buffers->of_ddp[ddp];
  known.first = known.forwards == 0 ? dtype : known.first;
  if (dtype == known.first) {
    ++known.forwards;
    if (std::has_single_bit(known.forwards) || known.forwards % 64 == 0) {
      look(ddp, known.buffers);
    }
  }
  ModuleParts parts;
  for (BroadcastBuffers::Buffer& buffer : known.buffers) {
    if (buffer.dtype == dtype) {
      parts.push_back(buffer.part);
      buffer.part.changes = 0;
    }
  }
  return parts;
}

} // namespace commtap
