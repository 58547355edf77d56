// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/collective_kernel.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>
#include <torch/library.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>

#include <unistd.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/samples/samples_reader.h"
#include "tests/unit/fake_group.h"
#include "tests/unit/tracker/collectives/op_handles.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/python_frames.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/steps.h"
#include "tracker/gloo/gloo_timing.h"
#include "tracker/modules/labels.h"
#include "tracker/modules/module_hook.h"
#include "tracker/verify/sampler.h"

namespace commtap {
namespace {

at::Tensor addOne(const at::Tensor& x, const std::string&) {
  return x + 1;
}

at::Tensor fail(const at::Tensor&, const std::string&) {
  throw std::out_of_range("the op's own");
}

TORCH_LIBRARY(commtap_kernel, library) {
  library.def("exchange(Tensor x, str group_name) -> Tensor", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(addOne)));
  library.def("fails(Tensor x, str group_name) -> Tensor", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(fail)));
}

/// The keys with which a call reaches the kernel.
c10::DispatchKeySet keysWith(c10::DispatchKey key) {
  return c10::DispatchKeySet(key).add(c10::DispatchKey::BackendSelect);
}
const c10::DispatchKeySet kCpu = keysWith(c10::DispatchKey::CPU);

using GroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;

torch::jit::Stack allReduceArguments(const at::Tensor& tensor, const GroupPtr& group, bool async = false) {
  torch::jit::Stack stack;
  stack.emplace_back(c10::List<at::Tensor>({tensor}));
  stack.emplace_back(group);
  stack.emplace_back(c10::make_intrusive<c10d::ReduceOp>(c10d::ReduceOp::MAX));
  stack.emplace_back();
  stack.emplace_back(async);
  stack.emplace_back(int64_t{-1});
  return stack;
}

struct KernelFixture : TrackerFixture {
  /// The rows of one group.
  std::vector<Collective> rowsOf(const std::string& group) const {
    std::vector<Collective> found;
    for (const Collective& row : report().collectives) {
      if (row.group == group) {
        found.push_back(row);
      }
    }
    return found;
  }
  LastCollective last() const {
    return report().last.back();
  }
};

TEST_CASE_FIXTURE(KernelFixture, "one-sided calls have their peer among the last collectives, and are no error") {
  const uint64_t errors = notSeen("internal_error");
  const torch::jit::Stack put{at::ones({3}), c10::IValue(), int64_t{5}};
  { const CallWatch watch(factsOf(handleOf("symm_mem::nccl_put_signal")), kCpu, put.data()); }
  CHECK(last().op == "symm_mem.nccl_put_signal");
  CHECK(last().peer == 5);
  CHECK(last().bytes == 12);
  const torch::jit::Stack get{at::ones({2}), int64_t{1}};
  { const CallWatch watch(factsOf(handleOf("symm_mem::nccl_get")), kCpu, get.data()); }
  CHECK(last().peer == 1);
  CHECK(notSeen("internal_error") == errors);
}

TEST_CASE_FIXTURE(KernelFixture, "an op that multiplies before it reduces has the bytes of the product") {
  define(
      "symm_mem",
      "fused_matmul_reduce_scatter(Tensor A, Tensor B, str reduce_op, int scatter_dim, str group_name) -> Tensor");
  define(
      "symm_mem",
      "fused_scaled_matmul_reduce_scatter(Tensor A, Tensor B, Tensor A_scale, Tensor B_scale, str reduce_op, int "
      "orig_scatter_dim, int scatter_dim_after_maybe_reshape, str group_name, SymInt[]? output_shape, Tensor? "
      "bias=None, "
      "Tensor? result_scale=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor");
  const GroupPtr group = makeGroup("k-product", "tp", 2);
  c10d::register_process_group("k-product", group);
  const at::Tensor rows = at::ones({4, 6, 10}, at::kBFloat16);
  const at::Tensor columns = at::ones({10, 3}, at::kBFloat16);
  const torch::jit::Stack plain{rows, columns, "sum", int64_t{0}, "k-product"};
  const OpFacts facts = factsOf(handleOf("symm_mem::fused_matmul_reduce_scatter"));
  CHECK(facts.known);
  { const CallWatch watch(facts, kCpu, plain.data()); }
  torch::jit::Stack scaled{rows, columns, at::ones({1}), at::ones({1}), "sum", int64_t{0}, int64_t{0}, "k-product"};
  scaled.resize(13);
  { const CallWatch watch(factsOf(handleOf("symm_mem::fused_scaled_matmul_reduce_scatter")), kCpu, scaled.data()); }
  scaled[11] = static_cast<int64_t>(at::kFloat);
  { const CallWatch watch(factsOf(handleOf("symm_mem::fused_scaled_matmul_reduce_scatter")), kCpu, scaled.data()); }
  c10d::unregister_process_group("k-product");
  std::set<std::string> found;
  for (const Collective& row : rowsOf("k-product")) {
    CHECK(row.kind == Kind::kReduceScatter);
    found.insert(row.op + " " + row.dtype + " " + std::to_string(row.bytes));
  }
  const std::set<std::string> wanted{
      "symm_mem.fused_matmul_reduce_scatter bfloat16 144",
      "symm_mem.fused_scaled_matmul_reduce_scatter bfloat16 144",
      "symm_mem.fused_scaled_matmul_reduce_scatter float32 288"};
  CHECK(found == wanted);
}

TEST_CASE_FIXTURE(KernelFixture, "a gather of an unknown group has the size that the op states, or one rank's share") {
  define("vllm", "all_gather(Tensor tensor, int dim, int world_size, str group_name) -> Tensor");
  define("torchcomms", "torchcomm_gather(Any comm, Tensor[] output_tensor_list, Tensor input_tensor, int root) -> ()");
  const torch::jit::Stack stated{at::ones({4}), int64_t{0}, int64_t{8}, "tp:0"};
  { const CallWatch watch(factsOf(handleOf("vllm::all_gather")), kCpu, stated.data()); }
  REQUIRE(rows("vllm.all_gather").size() == 1);
  CHECK(rows("vllm.all_gather")[0].bytes == 4 * 4 * 8);
  CHECK(rows("vllm.all_gather")[0].group == "?");
  CHECK(rows("vllm.all_gather")[0].async_op == AsyncOp::kUnknown);
  const torch::jit::Stack silent{c10::IValue(), c10::List<at::Tensor>(), at::ones({4}), int64_t{0}};
  { const CallWatch watch(factsOf(handleOf("torchcomms::torchcomm_gather")), kCpu, silent.data()); }
  REQUIRE(rows("torchcomms.torchcomm_gather").size() == 1);
  CHECK(rows("torchcomms.torchcomm_gather")[0].bytes == 4 * 4);
}

TEST_CASE_FIXTURE(KernelFixture, "a library's own name of a group is learnt from the c10d collective beneath") {
  define("vllm", "all_reduce(Tensor tensor, str group_name) -> Tensor");
  const OpFacts outer = factsOf(handleOf("vllm::all_reduce"));
  const uint64_t unknown = notSeen("unknown_group");
  const GroupPtr group = makeGroup("k-device", "tp", 2);
  const torch::jit::Stack inner = allReduceArguments(at::ones({1}), group);
  for (const char* name : {"tp:1", "tp:1", "tp:2"}) {
    const torch::jit::Stack arguments{at::ones({4}), name};
    const CallWatch watch(outer, kCpu, arguments.data());
    const CallWatch nested(factsOf(handleOf("c10d::allreduce_")), kCpu, inner.data());
  }
  std::set<std::string> found;
  for (const Collective& row : rows("vllm.all_reduce")) {
    CHECK(row.kind == Kind::kAllReduce);
    CHECK(row.lowered == std::vector<std::string>{"c10d.allreduce_"});
    CHECK(row.bytes == row.count * 16);
    found.insert(row.group + " " + std::to_string(row.count));
  }
  CHECK(found == std::set<std::string>{"? 2", "k-device 1"}); // the first call of each name
  CHECK(notSeen("unknown_group") == unknown + 2);
}

TEST_CASE_FIXTURE(
    KernelFixture,
    "a known op with other arguments has the bytes of its first tensor, and is in not_seen") {
  define("hybridep", "combine(Tensor hidden, int tokens) -> Tensor");
  const OpFacts facts = factsOf(handleOf("hybridep::combine"));
  CHECK_FALSE(facts.known);
  CHECK(facts.kind == Kind::kAllToAll);
  CHECK(facts.payload_argument == size_t{0});
  define("deepep", "combine_backward(int tokens, Tensor grad) -> Tensor");
  CHECK(factsOf(handleOf("deepep::combine_backward")).known); // the table has no name for its payload
  CHECK(factsOf(handleOf("deepep::combine_backward")).payload_argument == size_t{1});
}

TEST_CASE_FIXTURE(KernelFixture, "calls that agree in all columns are one row") {
  const OpFacts facts = factsOf(handleOf("c10d::allreduce_"));
  const GroupPtr group = makeGroup("k-row", "tp", 4);
  const torch::jit::Stack arguments = allReduceArguments(at::ones({3, 5}), group);
  pushScope("kernel-row");
  for (int nth = 0; nth < 2; ++nth) {
    CallWatch watch(facts, kCpu, arguments.data());
    watch.returned();
  }
  REQUIRE(popScope());
  const std::vector<Collective> found = rowsOf("k-row");
  REQUIRE(found.size() == 1);
  CHECK(found[0].module == "kernel-row");
  CHECK(found[0].issued_in == "kernel-row");
  CHECK(found[0].phase == Phase::kForward);
  CHECK(found[0].op == "c10d.allreduce_");
  CHECK(found[0].kind == Kind::kAllReduce);
  CHECK(found[0].dtype == "float32");
  CHECK(found[0].reduce_op == "max");
  CHECK(found[0].async_op == AsyncOp::kNo);
  CHECK(found[0].count == 2);
  CHECK(found[0].bytes == 120);
  CHECK(found[0].sizes == Histogram{{32, 2}});
}

TEST_CASE_FIXTURE(KernelFixture, "a call that differs in one column has a row of its own") {
  const OpFacts facts = factsOf(handleOf("c10d::allreduce_"));
  const GroupPtr group = makeGroup("k-columns", "tp", 4);
  for (const auto& [tensor, async] :
       {std::pair(at::ones({2}), false), std::pair(at::ones({2}), true), std::pair(at::ones({2}, at::kHalf), false)}) {
    const torch::jit::Stack arguments = allReduceArguments(tensor, group, async);
    const CallWatch watch(facts, kCpu, arguments.data());
  }
  const std::vector<Collective> found = rowsOf("k-columns");
  REQUIRE(found.size() == 3);
  std::set<std::tuple<std::string, AsyncOp, uint64_t>> columns;
  for (const Collective& row : found) {
    columns.emplace(row.dtype, row.async_op, row.bytes);
  }
  CHECK(columns.contains({"float32", AsyncOp::kNo, 8}));
  CHECK(columns.contains({"float32", AsyncOp::kYes, 8}));
  CHECK(columns.contains({"float16", AsyncOp::kNo, 4}));
}

TEST_CASE_FIXTURE(
    KernelFixture,
    "what a function of torch does for a DDP outside of modules has the phase of that work") {
  const OpFacts facts = factsOf(handleOf("c10d::allreduce_"));
  const torch::jit::Stack arguments = allReduceArguments(at::ones({2}), makeGroup("k-ddp", "dp", 4));
  const auto count = [&] { const CallWatch watch(facts, kCpu, arguments.data()); };
  setRunningTorchFunction([] { return CommtapTorchFunction{"Join", kCommtapDdpBackward}; });
  count();
  pushScope("kernel-ddp");
  count();
  REQUIRE(popScope());
  setRunningTorchFunction(nullptr);
  std::set<std::pair<std::string, Phase>> phases;
  for (const Collective& row : rowsOf("k-ddp")) {
    phases.emplace(row.module, row.phase);
  }
  CHECK(phases.size() == 2);
  CHECK(phases.contains({"kernel-ddp", Phase::kForward}));
  CHECK(std::any_of(phases.begin(), phases.end(), [](const auto& each) { return each.second == Phase::kBackward; }));
}

TEST_CASE_FIXTURE(
    KernelFixture,
    "outside of modules the label is the job's, else torch's function, else the step; inside there is none") {
  const OpFacts facts = factsOf(handleOf("c10d::allreduce_"));
  const torch::jit::Stack arguments = allReduceArguments(at::ones({2}), makeGroup("k-label", "tp", 4));
  const auto count = [&] { const CallWatch watch(facts, kCpu, arguments.data()); };
  count();
  setRunningTorchFunction([] { return CommtapTorchFunction{"clip_grad_norm_", kCommtapNotForDdp}; });
  count();
  int label = 0;
  openLabel("metrics", &label);
  count();
  closeLabel(&label);
  pushScope("kernel-label");
  count();
  REQUIRE(popScope());
  int step = 0;
  openLabel("Optimizer.step#SGD.step", &step);
  count(); // torch's function
  setRunningTorchFunction(nullptr);
  count();
  closeLabel(&step);
  count();
  std::set<std::pair<std::string, std::string>> labels;
  for (const Collective& row : rowsOf("k-label")) {
    labels.emplace(row.module, row.label);
  }
  CHECK(
      labels == std::set<std::pair<std::string, std::string>>{
                    {"Global", ""},
                    {"Global", "clip_grad_norm_"},
                    {"Global", "metrics"},
                    {"Global", "SGD.step"},
                    {"kernel-label", ""}});
}

TEST_CASE_FIXTURE(KernelFixture, "a call before the first forward has a row of its own, if there is a forward") {
  const OpFacts facts = factsOf(handleOf("c10d::allreduce_"));
  const torch::jit::Stack arguments = allReduceArguments(at::ones({2}), makeGroup("k-setup", "tp", 4));
  const auto count = [&] { const CallWatch watch(facts, kCpu, arguments.data()); };
  const ChildResult child = runInTrackedChild([&] {
    Steps::resetInForkedChild(); // other tests have run forwards in this process
    count();
    const std::vector<Collective> before = rowsOf("k-setup");
    pushScope("kernel-setup");
    popScope();
    count();
    count();
    std::string said = before.size() == 1 && !before[0].setup ? "" : "set-up without a forward ";
    for (const Collective& row : rowsOf("k-setup")) {
      said += std::to_string(row.count) + (row.setup ? " in set-up " : " later ");
    }
    sayLine(said);
  });
  CHECK(child.said == "2 later 1 in set-up \n");
}

TEST_CASE_FIXTURE(KernelFixture, "the payload of a gathering op is one rank's share times the ranks") {
  const GroupPtr group = makeGroup("k-gather", "dp", 3);
  c10d::register_process_group("k-gather", group);
  const torch::jit::Stack arguments{at::ones({4}), int64_t{3}, "k-gather"};
  { const CallWatch watch(factsOf(handleOf("_c10d_functional::all_gather_into_tensor")), kCpu, arguments.data()); }
  c10d::unregister_process_group("k-gather");
  const std::vector<Collective> found = rowsOf("k-gather");
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 48);
  CHECK(found[0].async_op == AsyncOp::kYes);
}

TEST_CASE_FIXTURE(KernelFixture, "the last collectives have a call's number in its group, its peer and its state") {
  const OpFacts send = factsOf(handleOf("c10d::send"));
  const GroupPtr group = makeGroup("k-last", "pp", 2);
  const torch::jit::Stack sent{c10::List<at::Tensor>({at::ones({2})}), group, int64_t{1}, int64_t{0}};
  const torch::jit::Stack reduced = allReduceArguments(at::ones({1}), group);
  { const CallWatch watch(send, kCpu, sent.data()); }
  CHECK(last().state == LastState::kFailed);
  {
    CallWatch watch(send, kCpu, sent.data());
    CHECK(last().state == LastState::kIssued);
    watch.returned();
  }
  CHECK(last().group == "k-last");
  CHECK(last().sequence == 2);
  CHECK(last().peer == 1);
  CHECK(last().bytes == 8);
  CHECK(last().state == LastState::kReturned);
  { const CallWatch watch(factsOf(handleOf("c10d::allreduce_")), kCpu, reduced.data()); }
  CHECK(last().sequence == 1); // collectives, and sends with receives, are numbered separately
  CHECK_FALSE(last().peer);
}

TEST_CASE_FIXTURE(KernelFixture, "a call whose slot among the last has been taken leaves the slot alone") {
  LedgerWriter& ledger = ProcessLedger::ledger();
  const torch::jit::Stack arguments = allReduceArguments(at::ones({1}), makeGroup("k-slot", "tp", 2));
  {
    CallWatch watch(factsOf(handleOf("c10d::allreduce_")), kCpu, arguments.data());
    for (uint64_t nth = 0; nth < kLedgerCapacities[kLast]; ++nth) {
      ledger.noteLast(kNoIndex, 0, 0, -1, 1);
    }
    watch.returned();
  }
  for (const LastCollective& each : report().last) {
    CHECK(each.state == LastState::kIssued);
  }
}

TEST_CASE_FIXTURE(KernelFixture, "an unknown op and an unknown group are counted, and named in not_seen") {
  const uint64_t ops = notSeen("unknown_op");
  const uint64_t groups = notSeen("unknown_group");
  const torch::jit::Stack arguments{at::ones({4}), "k-nobody"};
  { const CallWatch watch(factsOf(handleOf("commtap_kernel::exchange")), kCpu, arguments.data()); }
  const std::vector<Collective> found = rows("commtap_kernel.exchange");
  REQUIRE(found.size() == 1);
  CHECK(found[0].group == "?");
  CHECK(found[0].bytes == 16);
  CHECK(notSeen("unknown_op") == ops + 1);
  CHECK(notSeen("unknown_group") == groups + 1);
  CHECK(ProcessLedger::get().hasOutput());
}

TEST_CASE_FIXTURE(KernelFixture, "the ops that a collective calls are not counted; its row names the first two") {
  const OpFacts outer = factsOf(handleOf("c10d::allreduce_"));
  const torch::jit::Stack arguments = allReduceArguments(at::ones({1}), makeGroup("k-outer", "tp", 2));
  const torch::jit::Stack inner = allReduceArguments(at::ones({1}), makeGroup("k-inner", "tp", 2));
  {
    const CallWatch watch(outer, kCpu, arguments.data());
    for (const char* op : {"c10d::reduce_", "c10d::reduce_", "c10d::broadcast_", "c10d::barrier"}) {
      const CallWatch nested(factsOf(handleOf(op)), kCpu, inner.data());
    }
  }
  CHECK(rowsOf("k-inner").empty());
  REQUIRE(rowsOf("k-outer").size() == 1);
  CHECK(rowsOf("k-outer")[0].lowered == std::vector<std::string>{"c10d.reduce_", "c10d.broadcast_"});
  CHECK(ThreadState::current()->frame == nullptr);
}

TEST_CASE_FIXTURE(KernelFixture, "what a compiler or a dry run looks at is not counted") {
  const OpFacts facts = factsOf(handleOf("c10d::allreduce_"));
  const torch::jit::Stack arguments = allReduceArguments(at::ones({1}), makeGroup("k-traced", "tp", 2));
  for (const c10::DispatchKey key : {c10::DispatchKey::Python, c10::DispatchKey::Meta}) {
    const CallWatch watch(facts, keysWith(key), arguments.data());
    CHECK(ThreadState::current()->frame == nullptr);
  }
  CHECK(rowsOf("k-traced").empty());
}

TEST_CASE_FIXTURE(KernelFixture, "in a plan, a call on a fake tensor counts once, below its Python key") {
  const OpFacts facts = factsOf(handleOf("c10d::allreduce_"));
  const torch::jit::Stack arguments = allReduceArguments(at::ones({1}), makeGroup("k-planned", "tp", 2));
  countMetaTensors(true);
  for (const c10::DispatchKey key : {c10::DispatchKey::Python, c10::DispatchKey::Meta}) {
    const CallWatch watch(facts, keysWith(key), arguments.data());
    CHECK((ThreadState::current()->frame != nullptr) == (key == c10::DispatchKey::Meta));
  }
  countMetaTensors(false);
  REQUIRE(rowsOf("k-planned").size() == 1);
  CHECK(rowsOf("k-planned")[0].count == 1);
}

TEST_CASE_FIXTURE(KernelFixture, "the kernel counts the call and passes it on, below its own arguments too") {
  const c10::OperatorHandle op = handleOf("commtap_kernel::exchange");
  const GroupPtr group = makeGroup("k-call", "tp", 2);
  c10d::register_process_group("k-call", group);
  torch::jit::Stack stack{"the caller's", at::ones({2}), "k-call"};
  const CollectiveKernel kernel(factsOf(op));
  kernel(op, kCpu, &stack);
  c10d::unregister_process_group("k-call");
  REQUIRE(stack.size() == 2);
  CHECK(stack[0].toStringRef() == "the caller's");
  CHECK(at::equal(stack[1].toTensor(), at::full({2}, 2.0)));
  REQUIRE(rowsOf("k-call").size() == 1);
  CHECK(rowsOf("k-call")[0].count == 1);
  CHECK(last().state == LastState::kReturned);
}

TEST_CASE_FIXTURE(KernelFixture, "an exception of the op passes the kernel unchanged, and the call is counted") {
  const c10::OperatorHandle op = handleOf("commtap_kernel::fails");
  torch::jit::Stack stack{at::ones({2}), "k-nobody"};
  CHECK_THROWS_WITH_AS(CollectiveKernel(factsOf(op)).call(op, kCpu, &stack), "the op's own", std::out_of_range);
  REQUIRE(rows("commtap_kernel.fails").size() == 1);
  CHECK(rows("commtap_kernel.fails")[0].count == 1);
  CHECK(last().state == LastState::kFailed);
  CHECK(ThreadState::current()->frame == nullptr);
}

TEST_CASE_FIXTURE(KernelFixture, "an op that was defined again with other arguments is passed on uncounted") {
  const c10::OperatorHandle op = handleOf("commtap_kernel::exchange");
  OpFacts facts = factsOf(op);
  facts.name = ProcessLedger::ledger().intern("commtap_kernel.redefined");
  facts.argument_count = 3;
  torch::jit::Stack stack{at::ones({2}), "k-nobody"};
  const CollectiveKernel kernel(facts);
  kernel(op, kCpu, &stack);
  CHECK(at::equal(stack.at(0).toTensor(), at::full({2}, 2.0)));
  CHECK(rows("commtap_kernel.redefined").empty());
}

TEST_CASE_FIXTURE(KernelFixture, "with durations asked for, a call that no backend can time is counted as untimed") {
  const torch::jit::Stack arguments = allReduceArguments(at::ones({1}), makeGroup("k-untimed", "tp", 2));
  const uint64_t untimed = notSeen("untimed");
  REQUIRE(GlooTiming::start({1, false}));
  { const CallWatch watch(factsOf(handleOf("c10d::allreduce_")), kCpu, arguments.data()); }
  REQUIRE(GlooTiming::start({}));
  CHECK(notSeen("untimed") == untimed + 1);
  { const CallWatch watch(factsOf(handleOf("c10d::allreduce_")), kCpu, arguments.data()); }
  CHECK(notSeen("untimed") == untimed + 1);
}

/// Counts an all_reduce of a tensor over two ranks.
void reduce(const at::Tensor& tensor, c10d::ReduceOp::RedOpType op) {
  static const GroupPtr* group = new GroupPtr(makeGroup("sampled", "sampled_pg", 2));
  torch::jit::Stack stack = allReduceArguments(tensor, *group);
  stack[2] = c10::make_intrusive<c10d::ReduceOp>(op);
  const CallWatch watch(factsOf(handleOf("c10d::allreduce_")), kCpu, stack.data());
}

void sampleNextStep(const CommtapStepSampler* sampler) {
  sampler->begins(sampler->data, 0, 1);
  sampler->counted(sampler->data, 0);
}

TEST_CASE("a sample has sums and averages outside of modules and steps, and no others") {
  const TrackerFixture tracker;
  const ChildResult child = TrackerFixture::runInTrackedChild([] {
    Sampler::setFunction(sampleNextStep);
    Sampler::start(SampledSteps{false, {1}});
    ProcessLedger::get().processGroupSeen(0, 2);
    Sampler::forwardBegins({});
    reduce(at::ones({5}), c10d::ReduceOp::SUM);
    reduce(at::ones({6}), c10d::ReduceOp::MAX);
    ThreadState& thread = *ThreadState::current();
    for (const Scope::Type type : {Scope::Type::kModule, Scope::Type::kOptimizerStep}) {
      const uint32_t depth = thread.enter({type, false, kGlobalModule});
      reduce(at::ones({7}), c10d::ReduceOp::SUM);
      thread.leave(depth);
    }
    reduce(at::ones({8}), c10d::ReduceOp::AVG);
    Sampler::stepBegins();
    reduce(at::ones({9}), c10d::ReduceOp::SUM);
    const std::string path = ProcessLedger::get().reportPath() + ".samples";
    const ProcessSamples samples = *readSamplesFile(path);
    for (const SampledReduction& each : samples.samples.at(0).reductions) {
      sayLine(each.group + " " + std::to_string(each.sequence) + " " + std::to_string(each.elements));
    }
    unlink(path.c_str());
  });
  CHECK(child.said == "sampled 1 5\nsampled 5 8\n");
  CHECK(child.status == 0);
}

} // namespace
} // namespace commtap
