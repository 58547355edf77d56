/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Decides whether, when and from where this process loads a tracker. */

#define _GNU_SOURCE
#include "shim/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shim/built_tracker.h"
#include "shim/loaded.h"
#include "shim/nccl_hooks.h"
#include "shim/say.h"
#include "shim/torch_version.h"
#include "shim/tracker_file.h"
#include "shim/trusted_file.h"

enum { kPathMax = 4096 };

static struct {
  bool on;    /* false before the constructor, with COMMTAP=0, in a privileged process and in a second copy */
  bool tried; /* a tracker is loaded at most once, even if that fails */
  char start_folder[kPathMax]; /* set if the dynamic linker knows this library by a relative path */
} state;

static bool switched_off(void) {
  const char* value = getenv("COMMTAP");
  return getauxval(AT_SECURE) != 0 || (value != NULL && (strcmp(value, "0") == 0 || strcmp(value, "off") == 0 ||
                                                         strcmp(value, "false") == 0 || strcmp(value, "no") == 0));
}

/* Returns the path by which the dynamic linker knows this library. It is relative to the folder in which the process
 * began if that in LD_PRELOAD is. */
static const char* linked_path(void) {
  Dl_info info;
  return dladdr((const void*)linked_path, &info) == 0 || info.dli_fname == NULL ? "" : info.dli_fname;
}

/* Must run before the job changes its folder: there the same relative path would name another file. */
static void remember_start_folder(void) {
  if (linked_path()[0] != '/' && getcwd(state.start_folder, sizeof(state.start_folder)) == NULL) {
    state.start_folder[0] = '\0';
  }
}

void commtap_process_started(void) {
  const int saved_errno = errno;
  char path[kPathMax];
  state.on = !switched_off();
  if (state.on) {
    remember_start_folder();
    if (commtap_find_libtorch(path, sizeof(path))) {
      commtap_on_torch_loaded();
    }
  }
  errno = saved_errno;
}

/* Writes the absolute path of this library. */
static bool own_path(char* path, size_t size) {
  const char* linked = linked_path();
  const bool is_absolute = linked[0] == '/';
  return (is_absolute || state.start_folder[0] == '/') &&
         snprintf(path, size, "%s%s%s", is_absolute ? "" : state.start_folder, is_absolute ? "" : "/", linked) <
             (int)size;
}

static uint64_t steady_ns(void) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* COMMTAP_TORCH=force: the user takes a torch that is not the one for which the tracker is built. The tracker checks
 * the layout of torch's classes all the same. */
static bool is_version_forced(void) {
  const char* value = getenv("COMMTAP_TORCH");
  return value != NULL && strcmp(value, "force") == 0;
}

/* Returns false, and says why, if a tracker for releases may not be loaded for this torch. */
static bool accept_version(const struct commtap_torch_version* torch) {
  if (!torch->is_release && !is_version_forced()) {
    commtap_say(
        "torch %s is not a release, and may differ from torch %s: install a release of torch, make a tracker for it "
        "(`commtap build-tracker`), or try it with COMMTAP_TORCH=force; " COMMTAP_NOT_COUNTED,
        torch->full,
        torch->minor);
    return false;
  }
  return true;
}

/* Returns the installed tracker for this torch. Returns NULL, and says why, if there is none that may be loaded. `path`
 * becomes the tracker's. */
static const struct commtap_tracker*
installed_tracker(const struct commtap_torch_version* torch, char* path, size_t size) {
  char own[kPathMax];
  if (!accept_version(torch)) {
    return NULL;
  }
  if (!own_path(own, sizeof(own))) {
    commtap_say("the folder of this library is unknown: preload it by its full path; " COMMTAP_NOT_COUNTED);
    return NULL;
  }
  if (!commtap_find_tracker(own, torch->minor, path, size)) {
    commtap_say(
        "torch %s is not supported: %s does not exist: install a commtap that has the tracker for torch %s, or make "
        "one (`commtap build-tracker`); " COMMTAP_NOT_COUNTED,
        torch->full,
        path,
        torch->minor);
    return NULL;
  }
  const char* refusal = commtap_load_refusal(path, own);
  if (refusal != NULL) {
    commtap_say("%s is not loaded: %s; " COMMTAP_NOT_COUNTED, path, refusal);
    return NULL;
  }
  return commtap_open_tracker(path, torch->minor, is_version_forced());
}

/* Returns the tracker for the loaded torch: one that was made for exactly this torch, or the installed one. Returns
 * NULL, and says why, if there is none. */
static const struct commtap_tracker* find_tracker(struct commtap_torch_version* torch, char* path, size_t size) {
  if (!commtap_read_torch_version(torch)) {
    commtap_say(
        "the version of this torch is unknown: no version.py, build-version or TorchConfigVersion.cmake near "
        "libtorch_cpu.so holds it: install a release of torch; " COMMTAP_NOT_COUNTED);
    return NULL;
  }
  return commtap_find_built_tracker(torch->full, path, size) ? commtap_open_tracker(path, torch->minor, false)
                                                             : installed_tracker(torch, path, size);
}

static void load_tracker(void) {
  const uint64_t found_at_ns = steady_ns();
  struct commtap_torch_version torch;
  char path[kPathMax];
  const struct commtap_tracker* tracker = find_tracker(&torch, path, sizeof(path));
  const enum commtap_start_result started =
      tracker == NULL ? COMMTAP_STAYS_OFF : tracker->start(torch.full, found_at_ns);
  if (started == COMMTAP_STARTED) {
    commtap_loaded.tracker = tracker;
    commtap_loaded.timing = tracker->timing();
    commtap_loaded.nccl = tracker->nccl(&commtap_nccl_questions);
    commtap_loaded.cuda = tracker->cuda();
    commtap_loaded.streams = tracker->streams();
  } else if (started == COMMTAP_NOT_STARTED) {
    commtap_say("%s could not start: free some memory or disk space; " COMMTAP_NOT_COUNTED, path);
  }
}

void commtap_on_torch_loaded(void) {
  if (!state.on || state.tried) {
    return;
  }
  const int saved_errno = errno;
  state.tried = true;
  load_tracker();
  dlerror(); /* clears a failure of the shim, which is not the job's */
  errno = saved_errno;
}

void commtap_process_exits(void) {
  const int saved_errno = errno;
  char path[kPathMax];
  if (state.on && !state.tried && commtap_find_libtorch(path, sizeof(path))) {
    commtap_say(
        "%s was loaded, and commtap was not called: the process ended while it imported torch; or it loaded torch with "
        "RTLD_DEEPBIND, or by dlopen() in a program without Python: import torch without that flag, or link the "
        "program with libtorch; " COMMTAP_NOT_COUNTED,
        path);
  }
  errno = saved_errno;
}

bool commtap_is_self_signal(pid_t pid, int signal) {
  struct sigaction action;
  if (commtap_loaded.tracker == NULL || pid != getpid() || signal <= 0 || signal == SIGCHLD || signal == SIGCONT ||
      signal == SIGURG || signal == SIGWINCH || signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
      signal == SIGTTOU) {
    return false;
  }
  return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

void commtap_sends_signal(pid_t pid, int signal) {
  const bool ends = signal == SIGTERM || signal == SIGKILL || signal == SIGINT || signal == SIGQUIT || signal == SIGHUP;
  const pid_t other = pid < 0 ? -pid : pid;
  if (ends && commtap_loaded.tracker != NULL && other > 1 && other != getpid()) {
    commtap_loaded.tracker->signals(other, signal);
  }
}

void commtap_child_ended(pid_t pid, int status) {
  if (WIFSIGNALED(status) && commtap_loaded.tracker != NULL) {
    commtap_loaded.tracker->child_ended(pid, WTERMSIG(status));
  }
}

void commtap_process_ends(enum commtap_exit how, int code) {
  if (commtap_loaded.tracker != NULL) {
    const int saved_errno = errno;
    commtap_loaded.tracker->finish(how, code);
    errno = saved_errno;
  }
}
