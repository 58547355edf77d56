// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The names by which the tracker knows that kernels communicate by themselves.

#include <array>
#include <string_view>

namespace commtap::torch_names {

/// The namespace of torch's ops on symmetric memory, as in a row's op: torch/distributed/_symmetric_memory/__init__.py.
constexpr std::string_view kSymmetricMemoryOps = "symm_mem.";

/// How the names of libraries begin whose kernels communicate by themselves. libtorch_cuda.so needs libnvshmem_host.so
/// in every job, so only NVSHMEM's own plugins, which it loads when it is used, are a sign.
constexpr std::array<std::string_view, 5> kDeviceLibraries = {
    "deep_ep_cpp",
    "hybrid_ep_cpp",
    "libnccl_ep",
    "nvshmem_bootstrap_",
    "nvshmem_transport_",
};

} // namespace commtap::torch_names
