// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The functions of c10d and c10 that the stub interposes, by their mangled names.

#define FAKE_MILLISECONDS "NSt6chrono8durationIlSt5ratioILl1ELl1000EEEE"

extern "C" {
void fakeEnqueue(void* group, void* work) __asm__(
    "_ZN4c10d16ProcessGroupGloo7enqueueEN3c1013intrusive_ptrINS0_9AsyncWorkE"
    "NS1_6detail34intrusive_target_default_null_typeIS3_EEEE");
void fakeExecute(void* work) __asm__(
    "_ZN4c10d16ProcessGroupGloo9AsyncWork7executeERKN3c1013intrusive_ptrIS1_"
    "NS2_6detail34intrusive_target_default_null_typeIS1_EEEE");
void fakeFinalizeBackward(void* reducer) __asm__("_ZN4c10d7Reducer17finalize_backwardEv");
bool fakeWait(void* work, long timeout_ms) __asm__("_ZN4c10d4Work4waitE" FAKE_MILLISECONDS);
bool fakeSendWait(void* work, long timeout_ms) __asm__("_ZN4c10d16ProcessGroupGloo8SendWork4waitE" FAKE_MILLISECONDS);
bool fakeRecvWait(void* work, long timeout_ms) __asm__("_ZN4c10d16ProcessGroupGloo8RecvWork4waitE" FAKE_MILLISECONDS);

/// Returns an object in the memory `result`, as c10d's: an intrusive_ptr is returned so.
void* fakeRendezvous(void* result, const void* tensor, const void* group_name) __asm__(
    "_ZN4c10d16symmetric_memory10rendezvousERKN2at6TensorERKSt8optionalINSt7__cxx1112basic_stringIcSt11char_traits"
    "IcESaIcEEEE");

void fakeUnregisterAll() __asm__("_ZN4c10d29unregister_all_process_groupsEv");

void fakeInitLogging() __asm__("_ZN3c1011initLoggingEv");

/// The last function of the library that ran, and its arguments.
struct FakeC10dCall {
  const char* function;
  const void* object;
  const void* work;
  long timeout_ms;
};
extern FakeC10dCall fake_c10d_last;
}
