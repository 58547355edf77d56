/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_LOADER_H
#define COMMTAP_SHIM_LOADER_H

#include <stdbool.h>
#include <sys/types.h>

#include "shim/tracker_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs once, from the constructor. In a C++ job, torch is already loaded. */
void commtap_process_started(void);

/* Loads the tracker that fits the loaded torch. Later calls do nothing. */
void commtap_on_torch_loaded(void);

/* Runs last, from the destructor. Says so if the process has a torch that no hook has noticed. */
void commtap_process_exits(void);

/* Returns true if kill(pid, signal) ends this process. */
bool commtap_is_self_signal(pid_t pid, int signal);

/* Runs before kill(pid, signal) of another process; killpg(group) is kill(-group). */
void commtap_sends_signal(pid_t pid, int signal);

/* Runs after waitpid() found that a process ended, with its status. */
void commtap_child_ended(pid_t pid, int status);

/* Runs before the process ends without its exit handlers. `code`: the signal for COMMTAP_EXIT_SIGNAL, else the exit
 * status. */
void commtap_process_ends(enum commtap_exit how, int code);

#ifdef __cplusplus
}
#endif

#endif
