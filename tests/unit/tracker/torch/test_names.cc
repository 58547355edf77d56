// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
// Holds the names in tracker/torch against the Python files of a torch: the installed one, or an unpacked one whose
// folder, that with version.py, TORCH_SOURCES names.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/torch_doctest.h"
#include "tracker/modules/labels.h"
#include "tracker/torch/compiler_names.h"
#include "tracker/torch/function_names.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;
using Texts = std::set<std::string>;

const fs::path& root() {
  static const char* const named = std::getenv("TORCH_SOURCES");
  static const fs::path folder = named == nullptr ? COMMTAP_TORCH_ROOT : named;
  return folder;
}

/// Returns the text of a file below torch/; "" if it does not exist.
std::string textOf(const fs::path& file) {
  std::ifstream stream(root() / file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool has(const fs::path& file, std::string_view text) {
  return textOf(file).find(text) != std::string::npos;
}

bool defines(const fs::path& file, const std::string& function) {
  return has(file, "def " + function + "(");
}

int minorOf() {
  std::smatch found;
  const std::string text = textOf("version.py");
  REQUIRE(std::regex_search(text, found, std::regex(R"(__version__ = '2\.(\d+)\.)")));
  return std::stoi(found[1]);
}

/// Returns what the group of a pattern matches in a text.
Texts matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  Texts found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex); match != std::sregex_iterator(); ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

/// Returns the texts of the rows of a table that this torch has.
template <typename Table>
Texts textsIn(const Table& table) {
  Texts texts;
  for (const auto& row : table) {
    if (row.minors.has(minorOf())) {
      texts.emplace(row.text);
    }
  }
  return texts;
}

std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += text + " ";
  }
  return all;
}

const std::string kFsdp2Folder = "distributed/fsdp/_fully_shard/";
const std::string kSchedules = "distributed/pipelining/schedules.py";
const std::string kMeshFile = "distributed/device_mesh.py";
const std::string kTensorStub = "_C/__init__.pyi";

TEST_CASE("FSDP2 has the labels of the table for its units, and no others") {
  Texts labels;
  for (const std::string& label : matches(
           textOf(kFsdp2Folder + "_fsdp_param_group.py"),
           R"re(record_function\(\s*(?:self\._with_fqn\(\s*)?f?"FSDP::([a-z_{}]+))re")) {
    const size_t pass = label.find("{pass_type}");
    if (pass == std::string::npos) {
      labels.insert(label);
    } else {
      labels.insert("forward" + label.substr(pass + 11));
      labels.insert("backward" + label.substr(pass + 11));
    }
  }
  CHECK(joined(labels) == joined(textsIn(torch_names::kFsdp2Labels)));
}

TEST_CASE("pipeline schedules have the actions of the table, and no others") {
  const std::string text = textOf(kSchedules);
  const size_t begin = text.find("class _ComputationType(");
  REQUIRE(begin != std::string::npos);
  Texts actions = matches(text.substr(begin, text.find("def ", begin) - begin), R"re( = "([A-Z_]+)")re");
  CHECK(actions.erase("OVERLAP_F_B") == 1);
  CHECK(joined(actions) == joined(textsIn(torch_names::kPipelineActions)));
}

TEST_CASE("pipeline schedules begin their labels as known") {
  CHECK(has(kSchedules, "f\"" + std::string(torch_names::kPipeline) + "{"));
  CHECK(has(kSchedules, "record_function(f\"" + std::string(torch_names::kForwardOf) + "{"));
  CHECK(has(kSchedules, "record_function(f\"" + std::string(torch_names::kBackwardOf) + "{"));
}

TEST_CASE("the labels of optimizers, FSDP1 and the rest begin as known") {
  CHECK(has("optim/optimizer.py", torch_names::kOptimizerStep));
  CHECK(has("optim/optimizer.py", torch_names::kZeroGrad));
  CHECK(
      matches(textOf("distributed/fsdp/_runtime_utils.py"), R"("FullyShardedDataParallel\.([a-z_]+)_prefetch")")
          .size() == 3);
  for (const torch_names::OtherLabel& label : torch_names::kOtherLabels) {
    CAPTURE(label.start);
    const std::string_view witness = label.witness.empty() ? label.start : label.witness;
    CHECK((label.file.empty() || has(label.file, witness) == label.minors.has(minorOf())));
  }
}

TEST_CASE("no label of torch's parallel classes, optimizers and loaders is taken for one of the job's") {
  for (const char* folder : {"distributed/fsdp", "distributed/_composable", "nn/parallel", "optim", "utils/data"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
      if (entry.path().extension() == ".py") {
        for (const std::string& label : matches(textOf(entry.path()), R"re(record_function\(\s*f?"([^"{]+))re")) {
          CAPTURE(entry.path().string());
          CAPTURE(label);
          CHECK((parseUnitLabel(label) || userLabel(label).empty()));
        }
      }
    }
  }
}

/// Returns whether a file, or one in a folder that ends in "/", defines a function.
bool isDefined(const torch_names::Function& function) {
  const std::string path(function.file.substr(std::string_view("/torch/").size()));
  if (!path.ends_with("/")) {
    return defines(path, function.name);
  }
  for (const auto& entry : fs::directory_iterator(root() / path)) {
    if (entry.path().extension() == ".py" && defines(entry.path(), function.name)) {
      return true;
    }
  }
  return false;
}

TEST_CASE("torch has each function that communicates for no module, where the table has it") {
  for (const torch_names::Function& function : torch_names::kFunctions) {
    CAPTURE(function.name);
    CHECK((function.infers_shapes || isDefined(function)));
  }
}

TEST_CASE("torch has a function in which a pipeline's stage infers shapes") {
  const auto infers = [](const auto& function) { return function.infers_shapes && isDefined(function); };
  CHECK(std::any_of(torch_names::kFunctions.begin(), torch_names::kFunctions.end(), infers));
}

struct Witness {
  std::string file;
  std::string text;
};

void checkAll(const std::vector<Witness>& witnesses) {
  for (const Witness& witness : witnesses) {
    CAPTURE(witness.file);
    CAPTURE(witness.text);
    CHECK(has(witness.file, witness.text));
  }
}

/// Returns how a class assigns the first attribute of a path.
std::string assignment(const torch_names::Local& local) {
  return std::string(local.variable) + "." + std::string(local.attributes.substr(0, local.attributes.find('.')));
}

TEST_CASE("the functions whose frames are read exist, with their variables") {
  using namespace torch_names;
  checkAll({
      {kFsdp2Folder + "_fsdp_param_group.py", "def unshard("},
      {kFsdp2Folder + "_fsdp_param_group.py", "def post_backward("},
      {kFsdp2Folder + "_fsdp_param_group.py", "def _prefetch_unshard("},
      {kFsdp2Folder + "_fsdp_param_group.py", assignment(kUnitsModules) + " = "},
      {kFsdp2Folder + "_fsdp_state.py", "def _pre_backward("},
      {kFsdp2Folder + "_fsdp_state.py", "._prefetch_unshard("},
      {kFsdp2Folder + "_fsdp_state.py", assignment(kPrefetchersModules) + " = "},
      {kFsdp2Folder + "_fsdp_param.py", std::string("def ") + kReduceParameter + "("},
      {kFsdp2Folder + "_fsdp_param.py", assignment(kReducedModule) + ": ParamModuleInfo = "},
      {kFsdp2Folder + "_fsdp_param.py", "class ParamModuleInfo:"},
      {kFsdp2Folder + "_fsdp_param.py", "    module: nn.Module\n"},
      {kSchedules, std::string("def ") + kRunSchedule + "("},
      {kSchedules, std::string("        ") + kStagesByNumber + ": dict[int,"},
      {kSchedules, assignment(kOnlyStagesModule) + " = stage"},
      {"distributed/pipelining/stage.py", "self." + std::string(kStagesModule) + " = "},
      {"optim/optimizer.py", std::string("param_group[\"") + kGroupsTensors + "\"] = "},
      {"optim/optimizer.py", std::string("def wrapper(*") + kStepArguments + ": _P.args, **" + kStepNamedArguments},
      {"optim/optimizer.py", std::string("def ") + kStep + "(self, " + kClosure},
      {"optim/optimizer.py", std::string("self.") + kParameterGroups},
      {"autograd/graph.py", std::string("def ") + kRunBackward + "("},
  });
}

/// Returns the file of a module, as in "torch.autograd.profiler".
std::string fileOf(std::string module) {
  module.erase(0, module.find('.') + 1);
  for (size_t dot = module.find('.'); dot != std::string::npos; dot = module.find('.')) {
    module[dot] = '/';
  }
  return module + ".py";
}

/// Returns the file with the declarations of a module in C++.
std::string stubOf(const std::string& module) {
  return fileOf(module) + "i";
}

std::string classNamed(const char* name) {
  return std::string("class ") + name;
}

TEST_CASE("what the tracker hooks exists") {
  using namespace torch_names;
  checkAll({
      {fileOf(kModuleFile), classNamed(kModuleClass) + ":"},
      {fileOf(kModuleFile), std::string("def ") + kCallModule + "(self, "},
      {fileOf(kLabelFile), classNamed(kLabelClass) + "("},
      {fileOf(kLabelFile), std::string("self.") + kLabelText + ": str = name"},
      {fileOf(kLabelFile), "def __enter__(self)"},
      {fileOf(kLabelFile), "def __exit__("},
      {fileOf(kGroupsFile), std::string("    ") + kRegisterGroup + "(group_name, pg)"},
      {fileOf(kDdpFile), classNamed(kDistributedDataParallel) + "("},
      {fileOf(kDdpFile), std::string("        self,\n        ") + kWrappedArgument + ","},
      {fileOf(kFsdp1File), classNamed(kFullyShardedDataParallel) + "("},
      {fileOf(kFsdp1File), std::string("        self,\n        ") + kWrappedArgument + ": nn.Module,"},
      {stubOf(kEvalFrameFile), std::string("def ") + kSetEvalFrame + "(callback: "},
  });
}

TEST_CASE("what the tracker reads of compilers exists") {
  using namespace torch_names;
  const auto quoted = [](const char* name) { return '"' + std::string(name) + '"'; };
  const std::string backward =
      "node.meta[" + quoted(kBackwardStack) + "] = fwd_node.meta.get(" + quoted(kForwardStack) + ")";
  const std::string save = std::string(kInductorGraph) + "." + kSaveCode;
  checkAll({
      {"fx/graph_module.py", "f\"" + std::string(kGraphFile) + ".{"},
      {"fx/graph_module.py", std::string("self.") + kGraphLines + " = "},
      {"fx/graph_module.py", std::string("def ") + kGraph + "(self)"},
      {"fx/graph.py", std::string("def ") + kNodes + "(self)"},
      {"fx/node.py", std::string("self.") + kNodeFacts},
      {"_dynamo/variables/nn_module.py",
       std::string("tx.") + kForwardStack + "[module_key] = (fully_qualified_name, mod.__class__)"},
      {"_dynamo/output_graph.py", "lineno - self._orig_gm_firstlineno"},
      {"_functorch/_aot_autograd/utils.py", backward},
      {"fx/traceback.py", quoted(kAnnotations)},
      {"_functorch/_aot_autograd/runtime_wrappers.py",
       std::string("def ") + kForwardOfGraph + "(" + kNodeOfGraph + ": Any, "},
      {"_inductor/fx_passes/bucketing.py", "(" + quoted(kForwardStack) + ", "},
      {"_inductor/fx_passes/bucketing.py", "(" + quoted(kBackwardStack) + ", "},
      {"_inductor/fx_passes/bucketing.py", "f\"bucketing_{key}_sources\""},
      {fileOf(kInductorFile), classNamed(kInductorGraph) + "("},
      {fileOf(kInductorFile), "if " + save + " is not None:\n            " + save + "(" + kGeneratedCode + ".value)"},
      {fileOf(kInductorFile), std::string("for line_no, node in ") + kGeneratedCode + "." + kLineMap},
      {fileOf(kInductorFile), std::string("self, ") + kGeneratedCode + ": ValueWithLineMap"},
      {fileOf(kWrapperFile), classNamed(kWrapper) + "("},
      {fileOf(kWrapperFile), std::string("def ") + kDefineFunction + "(self, name: str, subgraph_code)"},
      {fileOf(kWrapperFile), std::string("subgraph_code.") + kGeneratedText},
      {"_inductor/utils.py", '"' + std::string(kSortedNodes) + '"'},
      {"_inductor/utils.py", "{sort_str}" + std::string(kSourceNodes) + "{"},
      {"_inductor/utils.py", "}" + std::string(kSourceOperators.substr(0, 1))},
      {"_inductor/utils.py", '"' + std::string(kSourceOperators.substr(3)) + "{"},
      {"_inductor/utils.py", "node.meta[" + quoted(kSourcesOfNode) + "][0]." + kNodeName},
      {"_higher_order_ops/invoke_subgraph.py", "super().__init__(\"" + std::string(kRegion) + '"'},
      {"fx/graph.py", std::string("def ") + kGraphOwner + "(self)"},
      {"fx/node.py", std::string("\"") + kNodeKind + "\": self." + kNodeKind},
      {fileOf(kOutputGraphFile), classNamed(kOutputGraph) + "("},
      {fileOf(kOutputGraphFile), std::string("def ") + kCallCompiler + "(\n        self, gm: fx.GraphModule, "},
      {fileOf(kCacheFile), classNamed(kCodeCache) + ":"},
      {fileOf(kCacheFile), std::string("cls.") + kLoadedFiles + ".append(mod)"},
      {"_inductor/runtime/compile_tasks.py", std::string("mod.") + kPathOfFile + " = path"},
      {fileOf(kCacheFile), std::string("def ") + kHash + "(content: "},
      {fileOf(kCacheFile), std::string("key = ") + kHash + "(content.strip(), "},
      {fileOf(kCacheFile), std::string("os.path.join(") + kCacheFolder + "(), basename[1:3])"},
      {fileOf(kCacheFile), std::string("import ") + kCacheFolder},
      {"_dynamo/compiled_autograd.py", "f\"" + std::string(kBackwardGraph) + "{self.id}"},
  });
  const std::string text_and_lines = std::string("    ") + kGeneratedText + ": str\n    " + kLineMap + ": ";
  CHECK((has("_inductor/utils.py", text_and_lines) || has("utils/_indented_buffer.py", text_and_lines)));
  CHECK(kMergedForwardStacks == "bucketing_" + std::string(kForwardStack) + "_sources");
  CHECK(kMergedBackwardStacks == "bucketing_" + std::string(kBackwardStack) + "_sources");
  CHECK(
      (has("_dynamo/output_graph.py", '"' + std::string(kCompiledFunction)) ||
       has("_dynamo/bytecode_transformation.py", '"' + std::string(kCompiledFunction))));
}

TEST_CASE("the classes and attributes of modules and tensors exist") {
  using namespace torch_names;
  const auto quoted = [](const char* name) { return '"' + std::string(name) + '"'; };
  checkAll({
      {kFsdp2Folder + "_fully_shard.py", classNamed(kFsdpModule)},
      {"nn/modules/container.py", classNamed(kModuleList) + "("},
      {"nn/modules/container.py", classNamed(kModuleDict) + "("},
      {"fx/graph_module.py", classNamed(kGraphModule) + "("},
      {"fx/_lazy_graph_module.py", "    def " + std::string(kLazyForward) + "(self, "},
      {"_subclasses/fake_tensor.py", "    def " + std::string(kFakeDispatch) + "(\n        self,"},
      {"_dynamo/eval_frame.py", classNamed(kCompiledModule) + "("},
      {fileOf(kModuleFile), std::string("self.") + kCompiledCall + " = torch.compile("},
      {fileOf(kModuleFile), "__setattr__(" + quoted(torch_names::kModules) + ", {})"},
      {fileOf(kModuleFile), "__setattr__(" + quoted(torch_names::kParameters) + ", {})"},
      {fileOf(kModuleFile), "__setattr__(" + quoted(torch_names::kBuffers) + ", {})"},
      {"jit/_script.py", std::string("self.") + kScriptModules},
      {fileOf(kFsdp1File), std::string("self.") + kFsdp1Handle + "." + kFlatParameter},
      {"distributed/tensor/_api.py", classNamed(kDtensor) + "("},
      {"distributed/tensor/_api.py", "__slots__ = [" + quoted(kLocalTensor) + ", " + quoted(kDtensorSpec) + "]"},
      {"distributed/tensor/_dtensor_spec.py", std::string("    ") + kSpecsMesh + ": DeviceMesh\n"},
      {"distributed/tensor/_dtensor_spec.py", std::string("    ") + kPlacements + ": tuple[Placement, ...]\n"},
      {kMeshFile, std::string("        def ") + kMeshDimensionNames + "(self)"},
      {kMeshFile, std::string("        def ") + kMeshDeviceType + "(self) -> str"},
      {kMeshFile, std::string("        def ") + kShape + "(self) -> tuple[int, ...]"},
      {kTensorStub, std::string("    ") + kTensorImpl + ": _int\n"},
      {kTensorStub, std::string("    ") + kShape + ": Size\n"},
      {kTensorStub, std::string("    ") + kDtype + ": _dtype\n"},
      {kTensorStub, std::string("    ") + kRequiresGrad + ": _bool\n"},
      {kTensorStub, std::string("    ") + kIsLeaf + ": _bool\n"},
      {kTensorStub, std::string("    ") + kGrad + ": "},
      {kMeshFile, std::string("self.") + kMeshCoordinate + " = "},
      {kMeshFile, std::string("self.") + kMeshRank + " = "},
      {kMeshFile, std::string("self.") + kRootMeshRanks + " = tuple("},
      {kMeshFile, std::string("self.") + kMeshLayout + " = "},
      {kMeshFile, std::string("self.") + kMeshGroupNames + " = "},
      {"distributed/_mesh_layout.py", std::string(kLayoutStride) + ": "},
      {"distributed/tensor/placement_types.py", std::string("class ") + std::string(kPartial) + "("},
      {"distributed/fsdp/_flat_param.py", std::string(".") + kIsFlatParameter + " = True"},
      {"distributed/fsdp/_flat_param.py", std::string("self.") + kFlatOriginals + " = []"},
      {"distributed/fsdp/_flat_param.py", std::string("self.") + kFlatSharedOriginals + " = []"},
      {"nn/parallel/distributed.py", std::string("self.") + kDdpParameters + " = ["},
      {"nn/parallel/distributed.py", std::string("self.") + kDdpBuffers + " = {"},
      {"nn/parallel/distributed.py", std::string("self.") + kDdpGroup + " = "},
      {fileOf(kGroupsFile), std::string("\n") + kRanksOfGroups + ": dict[ProcessGroup, dict[int, int]] = {}"},
      {"_subclasses/fake_tensor.py", classNamed(kFakeTensor) + "("},
      {"_subclasses/functional_tensor.py", classNamed(kFunctionalTensor) + "("},
      {"_tensor.py", std::string("class Tensor(") + kTensorBase + ")"},
  });
}

TEST_CASE("torch has the ops of symmetric memory") {
  const std::string name(torch_names::kSymmetricMemoryOps.substr(0, torch_names::kSymmetricMemoryOps.size() - 1));
  CHECK(has("distributed/_symmetric_memory/__init__.py", "Library(\"" + name + "\", \"DEF\")"));
}

/// Returns whether a table has a row of which `is` is true.
template <typename Table, typename Is>
bool any(const Table& table, const Is& is) {
  return std::any_of(std::begin(table), std::end(table), is);
}

TEST_CASE("torch's wrappers, and the classes that it gives to instances, are in the tables") {
  using namespace torch_names;
  checkAll({
      {"_dynamo/eval_frame.py", "\"_orig_mod\""},
      {"distributed/fsdp/_common_utils.py", "FSDP_WRAPPED_MODULE = \"_fsdp_wrapped_module\""},
      {"distributed/algorithms/_checkpoint/checkpoint_wrapper.py",
       "_CHECKPOINT_WRAPPED_MODULE = \"_checkpoint_wrapped_module\""},
      {"nn/parallel/data_parallel.py", "class DataParallel("},
      {kFsdp2Folder + "_fully_shard.py", "\"FSDP\""},
      {"distributed/_composable/replicate_with_fsdp.py", "class ReplicateModule(FSDPModule)"},
      {"distributed/_composable/replicate.py", "type(f\"DDP{cls.__name__}\", (DDP, cls)"},
      {"nn/utils/parametrize.py", "f\"Parametrized{cls.__name__}\""},
  });
  for (const std::string_view attribute : {"_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"}) {
    CHECK(
        any(kWrappers, [&](const Wrapper& row) { return row.class_name == kAnyClass && row.attribute == attribute; }));
  }
  for (const std::string_view prefix : {"FSDP", "Replicate", "DDP", "Parametrized"}) {
    CHECK(any(kSwaps, [&](const Swap& row) { return row.prefix == prefix; }));
  }
}

} // namespace
} // namespace commtap
