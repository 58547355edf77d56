/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The functions of c10d that libcommtap.so interposes: Gloo's collectives are queued, run and waited for in them, ranks
 * exchange symmetric memory, and a process destroys its groups.
 *
 * torch's libraries call them by name through their PLTs and vtables. The mangled names include the types of all
 * parameters: a torch with other types bypasses the shim, and its collectives are counted as `untimed`. Exceptions
 * pass. Every function but that of symmetric memory ends in a tail jump to the real function or to the tracker, which
 * adds no frame. The rules of hooks.c apply.
 *
 * One function is not c10d's: by c10::initLogging() the shim notices torch in a Python process. */

#include <stdbool.h>
#include <stddef.h>

#include "shim/loaded.h"
#include "shim/loader.h"
#include "shim/real_function.h"

#define EXPORT __attribute__((visibility("default")))
#define REAL(slot, symbol, ours) commtap_real(slot, symbol, NULL, "libtorch_cpu.so", (const void*)(ours))

#define INIT_LOGGING "_ZN3c1011initLoggingEv"
#define MILLISECONDS "NSt6chrono8durationIlSt5ratioILl1ELl1000EEEE"
#define ENQUEUE                                                             \
  "_ZN4c10d16ProcessGroupGloo7enqueueEN3c1013intrusive_ptrINS0_9AsyncWorkE" \
  "NS1_6detail34intrusive_target_default_null_typeIS3_EEEE"
#define EXECUTE                                                             \
  "_ZN4c10d16ProcessGroupGloo9AsyncWork7executeERKN3c1013intrusive_ptrIS1_" \
  "NS2_6detail34intrusive_target_default_null_typeIS1_EEEE"
#define WORK_WAIT "_ZN4c10d4Work4waitE" MILLISECONDS
#define SEND_WAIT "_ZN4c10d16ProcessGroupGloo8SendWork4waitE" MILLISECONDS
#define RECV_WAIT "_ZN4c10d16ProcessGroupGloo8RecvWork4waitE" MILLISECONDS
#define FINALIZE_BACKWARD "_ZN4c10d7Reducer17finalize_backwardEv"
#define UNREGISTER_ALL "_ZN4c10d29unregister_all_process_groupsEv"
#define RENDEZVOUS                                                        \
  "_ZN4c10d16symmetric_memory10rendezvousERKN2at6TensorERKSt8optionalINS" \
  "t7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEE"

/* The extension module torch._C calls it first of all, before it makes an object. By then all libraries of torch are
 * loaded, their constructors have run, and no lock of the dynamic linker is held. */
EXPORT void init_logging(void) __asm__(INIT_LOGGING);
EXPORT void init_logging(void) {
  static void* slot;
  void (*real)(void);
  *(void**)&real = commtap_real(&slot, INIT_LOGGING, NULL, "libc10.so", (const void*)init_logging);
  commtap_on_torch_loaded();
  real();
}

EXPORT void gloo_enqueue(void* group, void* work_pointer) __asm__(ENQUEUE);
EXPORT void gloo_enqueue(void* group, void* work_pointer) {
  static void* slot;
  void (*real)(void*, void*);
  *(void**)&real = REAL(&slot, ENQUEUE, gloo_enqueue);
  const struct commtap_timing* timing = commtap_loaded.timing;
  if (timing == NULL) {
    real(group, work_pointer);
  } else {
    timing->enqueue(real, group, work_pointer);
  }
}

/* The functions that take one object. */
#define OBJECT_HOOK(name, symbol, member)                        \
  EXPORT void name(void* object) __asm__(symbol);                \
  EXPORT void name(void* object) {                               \
    static void* slot;                                           \
    void (*real)(void*);                                         \
    *(void**)&real = REAL(&slot, symbol, name);                  \
    const struct commtap_timing* timing = commtap_loaded.timing; \
    if (timing == NULL) {                                        \
      real(object);                                              \
    } else {                                                     \
      timing->member(real, object);                              \
    }                                                            \
  }

OBJECT_HOOK(gloo_execute, EXECUTE, execute)
OBJECT_HOOK(reducer_finalize_backward, FINALIZE_BACKWARD, finalize_backward)

#define WAIT_HOOK(name, symbol)                                                            \
  EXPORT bool name(void* work, long timeout_ms) __asm__(symbol);                           \
  EXPORT bool name(void* work, long timeout_ms) {                                          \
    static void* slot;                                                                     \
    bool (*real)(void*, long);                                                             \
    *(void**)&real = REAL(&slot, symbol, name);                                            \
    const struct commtap_timing* timing = commtap_loaded.timing;                           \
    return timing == NULL ? real(work, timeout_ms) : timing->wait(real, work, timeout_ms); \
  }

WAIT_HOOK(work_wait, WORK_WAIT)
WAIT_HOOK(send_wait, SEND_WAIT)
WAIT_HOOK(recv_wait, RECV_WAIT)

/* torch.distributed.destroy_process_group() calls it for the default group, after the backends have shut down. */
EXPORT void unregister_all_process_groups(void) __asm__(UNREGISTER_ALL);
EXPORT void unregister_all_process_groups(void) {
  static void* slot;
  void (*real)(void);
  *(void**)&real = REAL(&slot, UNREGISTER_ALL, unregister_all_process_groups);
  const struct commtap_tracker* tracker = commtap_loaded.tracker;
  if (tracker != NULL) {
    tracker->groups_destroyed();
  }
  real();
}

/* symmetric_memory::rendezvous(Tensor const&, optional<string> const&) returns an intrusive_ptr, in memory that the
 * caller passes as a first parameter. On other processors the address is in a register that C cannot name. */
#ifdef __x86_64__
EXPORT void* symmetric_memory_rendezvous(void* result, const void* tensor, const void* group_name) __asm__(RENDEZVOUS);
EXPORT void* symmetric_memory_rendezvous(void* result, const void* tensor, const void* group_name) {
  static void* slot;
  void* (*real)(void*, const void*, const void*);
  *(void**)&real = REAL(&slot, RENDEZVOUS, symmetric_memory_rendezvous);
  void* made = real(result, tensor, group_name);
  const struct commtap_tracker* tracker = commtap_loaded.tracker;
  if (tracker != NULL) {
    tracker->symmetric_memory_exchanged();
  }
  return made;
}
#endif
