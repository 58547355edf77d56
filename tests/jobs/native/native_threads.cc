// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// A libtorch job without Python whose threads are all its own and share no lock that would serialize them:
// `native_threads THREADS CALLS FORKS`.
//
// Each thread makes CALLS all-reduces, each in another scope and group than the previous one, and prints a line at its
// end. The process forks during that time; each child makes three all-reduces in an existing group.

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "shim/commtap.h"
#include "tests/jobs/native/stub_group.h"

namespace {

constexpr unsigned kChildSeconds = 60; ///< a child that hangs is killed after this time
constexpr int kScopes = 8;

class SilentBackend : public c10d::Backend {
 public:
  SilentBackend() : Backend(0, 2) {}

  const std::string getBackendName() const override {
    return "silent";
  }

  c10::intrusive_ptr<c10d::Work> allreduce(
      std::vector<at::Tensor>& /*tensors*/,
      const c10d::AllreduceOptions& /*options*/) override {
    return c10::make_intrusive<stub::DoneWork>();
  }
};

c10::intrusive_ptr<c10d::ProcessGroup> newGroup(const std::string& name) {
  auto group = stub::worldOf(0, 2, c10::make_intrusive<SilentBackend>());
  group->setGroupName(name);
  group->setGroupDesc(name);
  return group;
}

void allReduce(c10d::ProcessGroup& group, int64_t elements) {
  std::vector<at::Tensor> tensors{at::ones({elements})};
  group.allreduce(tensors)->wait();
}

void work(int thread, int calls) {
  const std::string name = "thread " + std::to_string(thread);
  const std::vector<c10::intrusive_ptr<c10d::ProcessGroup>> groups{newGroup(name + " a"), newGroup(name + " b")};
  for (int call = 0; call < calls; ++call) {
    commtap_scope_push((name + " scope " + std::to_string(call % kScopes)).c_str());
    allReduce(*groups[call % groups.size()], 1 << (call % 3 * 4));
    commtap_scope_pop();
  }
}

/// Forks a child and returns its exit status, or its signal as a negative number.
int endOfChild(c10d::ProcessGroup& group) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kChildSeconds);
    commtap_scope_push("child");
    for (int call = 0; call < 3; ++call) {
      allReduce(group, 4);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    return 2;
  }
  const int calls = std::atoi(argv[2]);
  const auto group = newGroup("world");
  allReduce(*group, 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(argv[1]); ++i) {
    threads.emplace_back(work, i, calls);
  }
  std::map<int, int> ends;
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    ++ends[endOfChild(*group)];
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const auto& [end, children] : ends) {
    std::cout << children << " children ended with " << end << "\n";
  }
  std::cout << "calls " << 1 + threads.size() * static_cast<size_t>(calls) << "\n";
  return 0;
}
