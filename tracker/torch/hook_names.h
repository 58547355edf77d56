// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The modules of torch that the tracker waits for, and what it hooks in them.

namespace commtap::torch_names {

constexpr const char* kModuleFile = "torch.nn.modules.module";
constexpr const char* kModuleClass = "Module";
constexpr const char* kCallModule = "_call_impl";

constexpr const char* kLabelFile = "torch.autograd.profiler";
constexpr const char* kLabelClass = "record_function";
constexpr const char* kLabelText = "name"; // the attribute

constexpr const char* kGroupsFile = "torch.distributed.distributed_c10d";
constexpr const char* kRegisterGroup = "_register_process_group";

constexpr const char* kMeshFile = "torch.distributed.device_mesh";
constexpr const char* kMeshClass = "DeviceMesh";

constexpr const char* kDdpFile = "torch.nn.parallel.distributed";
constexpr const char* kFsdp1File = "torch.distributed.fsdp.fully_sharded_data_parallel";
/// The parameter of DDP's and FSDP1's constructors after self.
constexpr const char* kWrappedArgument = "module";

/// torch/_C/_dynamo/eval_frame.pyi. The function sets what Dynamo calls for this thread's frames;
/// torch._dynamo.disable() uses it too.
constexpr const char* kEvalFrameFile = "torch._C._dynamo.eval_frame";
constexpr const char* kSetEvalFrame = "set_eval_frame";

} // namespace commtap::torch_names
