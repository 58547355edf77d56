/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The functions of libc that libcommtap.so interposes, and the constructor.
 *
 * Rules of this folder:
 *  - every process of the job loads it, shells and compilers included: no torch, no C++, libc only;
 *  - an exported function holds no logic: it calls another file and the real function;
 *  - dlopen(), dlmopen(), dlsym() and dlvsym() are not interposed: they depend on their caller, and the shim's RUNPATH,
 *    $ORIGIN and position among the libraries would replace the job's;
 *  - nothing is printed unless the user must act; errno, signals and the environment stay as found;
 *  - state is plain zero-initialised data; nothing is allocated, no thread is started. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/loader.h"

#define EXPORT __attribute__((visibility("default")))

/* The one list of hooks: name, type of the real function. */
/* clang-format off */
#define FOR_EACH_HOOK(hook) \
  hook(_exit, void (*)(int)) \
  hook(_Exit, void (*)(int)) \
  hook(quick_exit, void (*)(int)) \
  hook(abort, void (*)(void)) \
  hook(kill, int (*)(pid_t, int)) \
  hook(killpg, int (*)(pid_t, int)) \
  hook(waitpid, pid_t (*)(pid_t, int*, int))
/* clang-format on */

static struct {
#define DECLARE(name, type) __typeof__((type)0) name; /* NOLINT(bugprone-macro-parentheses): a declaration */
  FOR_EACH_HOOK(DECLARE)
#undef DECLARE
} real;

static void resolve(void) {
#define RESOLVE(name, type) *(void**)&real.name = dlsym(RTLD_NEXT, #name);
  FOR_EACH_HOOK(RESOLVE)
#undef RESOLVE
}

/* Another preloaded library's constructor may call a hook before ours has run. */
#define REAL(name) (real.name == NULL ? (resolve(), real.name) : real.name)

/* Two copies in one process, a cluster's and a user's own, would count everything twice: only the first one works. */
static const char this_one = 1;
EXPORT extern const char commtap_is_here __attribute__((alias("this_one")));

static bool is_first(void) {
  const void* first = dlsym(RTLD_DEFAULT, "commtap_is_here");
  return first == NULL ||
         first == &this_one; /* the alias, since every copy would find the first one's commtap_is_here */
}

__attribute__((constructor)) static void start(void) {
  resolve();
  if (is_first()) {
    commtap_process_started();
  }
}

__attribute__((destructor)) static void end(void) {
  commtap_process_exits();
}

EXPORT __attribute__((noreturn)) void _exit(int status) {
  commtap_process_ends(COMMTAP_EXIT_UNDERSCORE, status);
  REAL(_exit)(status);
  __builtin_unreachable();
}

EXPORT __attribute__((noreturn)) void _Exit(int status) {
  commtap_process_ends(COMMTAP_EXIT_UNDERSCORE, status);
  REAL(_Exit)(status);
  __builtin_unreachable();
}

EXPORT __attribute__((noreturn)) void quick_exit(int status) {
  commtap_process_ends(COMMTAP_EXIT_UNDERSCORE, status);
  REAL(quick_exit)(status);
  __builtin_unreachable();
}

/* Ends in a tail jump, so that the stack of an aborted program shows no frame of the shim. The C name differs because
 * gcc knows that abort() does not return, and never makes a tail jump out of such a function. */
EXPORT void abort_hook(void) __asm__("abort");
void abort_hook(void) {
  commtap_process_ends(COMMTAP_EXIT_SIGNAL, SIGABRT);
  void (*abort_really)(void) = REAL(abort);
  abort_really();
}

/* After an unhandled KeyboardInterrupt Python ends itself by a SIGINT. */
EXPORT int kill(pid_t pid, int signal) {
  if (commtap_is_self_signal(pid, signal)) {
    commtap_process_ends(COMMTAP_EXIT_SIGNAL, signal);
  }
  commtap_sends_signal(pid, signal);
  return REAL(kill)(pid, signal);
}

/* torchrun ends its ranks by it. */
EXPORT int killpg(pid_t group, int signal) {
  commtap_sends_signal(-group, signal);
  return REAL(killpg)(group, signal);
}

/* Python's launchers find the ends of their ranks by it. */
EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  int found = 0;
  const pid_t ended = REAL(waitpid)(pid, status == NULL ? &found : status, options);
  if (ended > 0) {
    commtap_child_ended(ended, status == NULL ? found : *status);
  }
  return ended;
}
