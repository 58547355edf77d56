// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace commtap {

/// A backend that implements no collective.
class SilentBackend final : public c10d::Backend {
 public:
  using Backend::Backend;
  const std::string getBackendName() const override {
    return "silent";
  }
};

/// Returns a process group of `size` ranks, in which this process is rank 0.
inline c10::intrusive_ptr<c10d::ProcessGroup> makeGroup(const std::string& name, const std::string& desc, int size) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(0, size);
  group->setBackend(
      c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::CUSTOM, c10::make_intrusive<SilentBackend>(0, size));
  group->setGroupName(name);
  group->setGroupDesc(desc);
  return group;
}

} // namespace commtap
