// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Names in the code that torch.compile generates, and in the graphs that it is generated from.

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
/// The job's own annotation of a node: torch.fx.traceback.annotate.
constexpr const char* kAnnotations = "custom";
constexpr const char* kAnnotatedModule = "module_fqn";
/// True for a node that was traced in a backward, and for all of a backward's graph.
constexpr const char* kTracedInBackward = "autograd_backward";
/// In a partitioned graph, kBackwardTag for a node that belongs to the backward only.
constexpr const char* kPartition = "partitioner_tag";
constexpr std::string_view kBackwardTag = "is_backward";

// torch/fx/interpreter.py: the method that runs one node, and its variable
constexpr std::string_view kInterpreterFile = "/torch/fx/interpreter.py";
constexpr const char* kRunNode = "run_node";
constexpr const char* kInterpretedNode = "n";

// torch/_inductor/fx_passes/bucketing.py: the stacks of each collective that a merged one replaces
constexpr const char* kMergedForwardStacks = "bucketing_nn_module_stack_sources";
constexpr const char* kMergedBackwardStacks = "bucketing_fwd_nn_module_stack_sources";

/// The target of the node that splits a merged collective's result. Its second argument has the parts' sizes.
constexpr std::string_view kSplit = "aten.split_with_sizes";
constexpr const char* kNodeUsers = "users"; // {node: None}; torch/fx/node.py
constexpr const char* kNodeTarget = "target";
constexpr const char* kNodeArguments = "args";

/// The target of a node that calls a region, which is compiled once for all its calls: torch.compiler's
/// nested_compile_region. Its first argument is a node whose target is the name of the region's GraphModule.
/// torch/_higher_order_ops/invoke_subgraph.py
constexpr std::string_view kRegion = "invoke_subgraph";
constexpr const char* kNodeKind = "op"; // torch/fx/node.py
constexpr std::string_view kCalls = "call_";
constexpr const char* kNodeGraph = "graph";          // torch/fx/node.py
constexpr const char* kGraphOwner = "owning_module"; // torch/fx/graph.py

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

// torch/_inductor/utils.py: get_kernel_metadata. A comment above the lines of a kernel: "# Topologically Sorted Source
// Nodes: [linear, outputs], Original ATen: [aten.mm, _c10d_functional.all_reduce]", where the first word can be
// "Unsorted"
constexpr std::string_view kSortedNodes = "Topologically Sorted";
constexpr std::string_view kSourceNodes = " Source Nodes: [";
constexpr std::string_view kSourceOperators = "], Original ATen: [";
constexpr const char* kSourcesOfNode = "from_node"; // in a node's facts: [NodeSource]; torch/fx/traceback.py
constexpr const char* kNodeName = "name";           // of a node and of a NodeSource

// torch/_inductor/codecache.py
constexpr const char* kCacheFile = "torch._inductor.codecache";
constexpr const char* kHash = "get_hash"; // of a text without the white space around it: the name of its file
constexpr const char* kCacheFolder = "cache_dir";
constexpr const char* kCodeCache = "PyCodeCache";
constexpr const char* kLoadedFiles = "modules"; // the Python modules of its files, in the order of loading
constexpr const char* kPathOfFile = "__file__";

// torch/_dynamo/output_graph.py: called with each graph and its inputs
constexpr const char* kOutputGraphFile = "torch._dynamo.output_graph";
constexpr const char* kOutputGraph = "OutputGraph";
constexpr const char* kCallCompiler = "call_user_compiler";

/// The attribute with the module of a function of torch.autograd that a node calls.
constexpr const char* kFunctionFile = "__module__";
constexpr std::string_view kAutogradFile = "torch.autograd";

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
