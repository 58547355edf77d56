// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls every function of commtap.h in one process of one Gloo rank and prints each result on its own line for the
// test. Without commtap every line says that the function is absent.

#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "shim/commtap.h"

namespace {

c10::intrusive_ptr<c10d::ProcessGroup> group;

void allReduce(int64_t elements) {
  std::vector<at::Tensor> tensors{at::ones({elements})};
  group->allreduce(tensors)->wait();
}

void say(const std::string& what, long answer) {
  std::cout << what << " " << answer << "\n";
}

std::string currentModule() {
  char name[64] = "(absent)";
  commtap_current_module(name, sizeof(name));
  return name;
}

void saySnapshot() {
  const long length = commtap_snapshot(nullptr, 0);
  std::string text(length < 0 ? 0 : static_cast<size_t>(length) + 1, '\0');
  const long again = commtap_snapshot(text.data(), text.size());
  say("snapshot_same_length", again == length ? 1 : 0);
  text.resize(length < 0 ? 0 : static_cast<size_t>(length));
  std::cout << "json " << text << "\n";
}

void makeGroup() {
  auto store = c10::make_intrusive<c10d::HashStore>();
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(c10d::ProcessGroupGloo::createDefaultDevice());
  auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, 0, 1, options);
  group = c10::make_intrusive<c10d::ProcessGroup>(store, 0, 1);
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO, gloo);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  group->setGroupName("0");
}

void tryScopes() {
  say("pop_nothing", commtap_scope_pop());
  say("push_empty", commtap_scope_push(""));
  say("push", commtap_scope_push("outer"));
  commtap_scope_push("inner");
  std::cout << "module " << currentModule() << "\n";
  char short_name[4] = "";
  say("module_length", commtap_current_module(short_name, sizeof(short_name)));
  std::cout << "module_cut " << short_name << "\n";
  commtap_place place = {0, 0, "", ""};
  say("where", commtap_where(&place));
  std::cout << "place " << place.module << " " << place.phase << "\n";
  commtap_place parent = {0, 0, "", ""};
  say("module_info", commtap_module_info(place.parent_id, &parent));
  std::cout << "parent " << parent.module << "\n";
  say("module_info_unknown", commtap_module_info(12345, &parent));
  allReduce(8);
  say("pop", commtap_scope_pop());
  commtap_scope_pop();
  std::cout << "module " << currentModule() << "\n";
}

void tryCaptures() {
  const long all = commtap_capture_begin(COMMTAP_ALL_THREADS);
  const long mine = commtap_capture_begin(COMMTAP_THIS_THREAD);
  allReduce(4);
  std::thread([] { allReduce(16); }).join();
  commtap_collective rows[4];
  for (const long capture : {all, mine}) {
    const long found = commtap_capture_read(capture, rows, 4);
    say("capture_rows", found);
    for (long i = 0; i < found; ++i) {
      const commtap_collective& row = rows[i];
      std::cout << "row " << row.module << " " << row.phase << " " << row.op << " " << row.kind << " " << row.group
                << " " << row.dtype << " " << row.count << " " << row.bytes << "\n";
    }
    say("capture_end", commtap_capture_end(capture));
  }
  say("capture_ended", commtap_capture_read(all, rows, 4));
}

void onCollective(const commtap_collective* collective, void* context) {
  std::cout << "told " << collective->op << " " << collective->count << " " << collective->bytes << "\n";
  ++*static_cast<int*>(context);
}

void onOp(const commtap_op* op, void* context) {
  static_cast<std::vector<std::string>*>(context)->emplace_back(op->name);
}

void tryCallbacks() {
  int told = 0;
  say("set_collective_callback", commtap_set_collective_callback(onCollective, &told));
  allReduce(2);
  commtap_set_collective_callback(nullptr, nullptr);
  allReduce(2);
  say("told", told);
  std::vector<std::string> ops;
  const at::Tensor one = at::ones({2, 2});
  say("set_op_callback", commtap_set_op_callback(onOp, &ops));
  one.mm(one);
  commtap_set_op_callback(nullptr, nullptr);
  one.mm(one);
  std::cout << "ops";
  for (const std::string& op : ops) {
    std::cout << " " << op;
  }
  std::cout << "\n";
}

void tryBackward() {
  const at::Tensor x = at::ones({2}).requires_grad_();
  const at::Tensor y = x * 2;
  y.register_hook([](const at::Tensor&) { say("is_backward_in_hook", commtap_is_backward()); });
  say("is_backward", commtap_is_backward());
  y.sum().backward();
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: c_api SNAPSHOT_FILE\n";
    return 2;
  }
  makeGroup();
  say("keep_in_memory", commtap_keep_in_memory());
  tryScopes();
  tryCaptures();
  tryCallbacks();
  tryBackward();
  say("mark_step", commtap_mark_step());
  say("stop", commtap_stop());
  allReduce(1024);
  say("start", commtap_start());
  saySnapshot();
  say("snapshot_file", commtap_snapshot_file(argv[1]));
  say("snapshot_nowhere", commtap_snapshot_file("/nowhere/at/all"));
  say("reset", commtap_reset());
  saySnapshot();
  return 0;
}
