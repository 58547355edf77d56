// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fake_c10d.h"

#include <stdexcept>

FakeC10dCall fake_c10d_last;

void fakeEnqueue(void* group, void* work) {
  fake_c10d_last = {"enqueue", group, work, 0};
}

void fakeExecute(void* work) {
  fake_c10d_last = {"execute", nullptr, work, 0};
}

void fakeFinalizeBackward(void* reducer) {
  fake_c10d_last = {"finalize_backward", reducer, nullptr, 0};
}

/// As c10d's: throws if the collective failed, here one without a work.
bool fakeWait(void* work, long timeout_ms) {
  if (work == nullptr) {
    throw std::runtime_error("the collective failed");
  }
  fake_c10d_last = {"wait", nullptr, work, timeout_ms};
  return true;
}

bool fakeSendWait(void* work, long timeout_ms) {
  fake_c10d_last = {"send_wait", nullptr, work, timeout_ms};
  return true;
}

bool fakeRecvWait(void* work, long timeout_ms) {
  fake_c10d_last = {"recv_wait", nullptr, work, timeout_ms};
  return false;
}

/// As c10d's: throws without a tensor.
void* fakeRendezvous(void* result, const void* tensor, const void* group_name) {
  if (tensor == nullptr) {
    throw std::runtime_error("no tensor");
  }
  fake_c10d_last = {"rendezvous", tensor, group_name, 0};
  return result;
}

void fakeUnregisterAll() {
  fake_c10d_last = {"unregister_all", nullptr, nullptr, 0};
}

void fakeInitLogging() {
  fake_c10d_last = {"init_logging", nullptr, nullptr, 0};
}
