// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the tracker reads of torch.compile: the code that compilers generate, and the graphs that it comes from.

#include <string_view>

namespace commtap::torch_names {

// torch/fx/graph_module.py: the file name of a graph's code, and the attributes of its GraphModule
constexpr std::string_view kGraphFile = "<eval_with_key>";
constexpr const char* kGraphLines = "_lineno_map"; // line below `def` -> index of the node, or None
constexpr const char* kGraph = "graph";
constexpr const char* kNodes = "nodes";

// torch/fx/node.py, torch/fx/traceback.py
constexpr const char* kNodeFacts = "meta";
/// Innermost last: {key: (the module's source, its class)}.
constexpr const char* kForwardStack = "nn_module_stack";
constexpr const char* kBackwardStack = "fwd_nn_module_stack"; // torch/_functorch/_aot_autograd/utils.py
/// What the job says of a node: torch.fx.traceback.annotate.
constexpr const char* kAnnotations = "custom";
constexpr const char* kAnnotatedModule = "module_fqn";
/// True for a node that was traced in a backward, and for all of a backward's graph.
constexpr const char* kTracedInBackward = "autograd_backward";
/// Of a graph that was partitioned: kBackwardTag for a node that is of the backward alone.
constexpr const char* kPartition = "partitioner_tag";
constexpr std::string_view kBackwardTag = "is_backward";

// torch/fx/interpreter.py: the method that runs one node, and its variable
constexpr std::string_view kInterpreterFile = "/torch/fx/interpreter.py";
constexpr const char* kRunNode = "run_node";
constexpr const char* kInterpretedNode = "n";

// torch/_inductor/fx_passes/bucketing.py: the stacks of each collective that a merged one stands for
constexpr const char* kMergedForwardStacks = "bucketing_nn_module_stack_sources";
constexpr const char* kMergedBackwardStacks = "bucketing_fwd_nn_module_stack_sources";

/// What takes a merged collective's result apart: the node's target, whose second argument has the parts' sizes.
constexpr std::string_view kSplit = "aten.split_with_sizes";
constexpr const char* kNodeUsers = "users"; // {node: None}; torch/fx/node.py
constexpr const char* kNodeTarget = "target";
constexpr const char* kNodeArguments = "args";

// torch/_inductor/graph.py: called with each file's text by _compile_to_module_lines, whose variable has the nodes
constexpr const char* kInductorFile = "torch._inductor.graph";
constexpr const char* kInductorGraph = "GraphLowering";
constexpr const char* kSaveCode = "save_output_code";
constexpr const char* kGeneratedCode = "wrapper_code";
constexpr const char* kLineMap = "line_map"; // [(line, node)]; torch/_inductor/utils.py

// torch/_inductor/codegen/wrapper.py: the method that gets the name and the code of a function of the file, before the
// file is whole, and copies the text only
constexpr const char* kWrapperFile = "torch._inductor.codegen.wrapper";
constexpr const char* kWrapper = "PythonWrapperCodegen";
constexpr const char* kDefineFunction = "define_subgraph_launcher_fn";
constexpr const char* kGeneratedText = "value"; // torch/_inductor/utils.py

// torch/_inductor/codecache.py
constexpr const char* kCacheFile = "torch._inductor.codecache";
constexpr const char* kHash = "get_hash"; // of a text without the white space around it: the name of its file
constexpr const char* kCacheFolder = "cache_dir";

/// How the names begin of the functions that Dynamo makes, which the code that it rewrites calls
/// (torch/_dynamo/output_graph.py).
constexpr std::string_view kCompiledFunction = "__compiled_fn";

// torch/_functorch/_aot_autograd/runtime_wrappers.py: the function of the autograd node of a compiled graph, and the
// node
constexpr std::string_view kForwardFile = "/torch/_functorch/_aot_autograd/runtime_wrappers.py";
constexpr const char* kForwardOfGraph = "forward";
constexpr const char* kNodeOfGraph = "ctx";
constexpr const char* kNodeNumber = "_sequence_nr"; // torch/csrc/autograd/python_function.cpp

} // namespace commtap::torch_names
