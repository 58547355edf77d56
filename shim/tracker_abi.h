/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TRACKER_ABI_H
#define COMMTAP_SHIM_TRACKER_ABI_H

/* What the preloaded stub and a tracker know of each other. Any change makes a new COMMTAP_ABI. */

#include "shim/commtap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMMTAP_ABI 3U
#define COMMTAP_TRACKER_SYMBOL "commtap_tracker_table" /* const struct commtap_tracker* (*)(void) */

enum commtap_exit {
  COMMTAP_EXIT_NORMAL = 1,
  COMMTAP_EXIT_UNDERSCORE = 2,
  COMMTAP_EXIT_SIGNAL = 3,
};

/* What stands behind the functions of commtap.h. */
struct commtap_api {
#define COMMTAP_MEMBER(result, name, parameters, arguments) \
  result(*name) parameters; /* NOLINT(bugprone-macro-parentheses): a declaration */
  COMMTAP_FOR_EACH_FUNCTION(COMMTAP_MEMBER)
#undef COMMTAP_MEMBER
};

struct commtap_tracker {
  unsigned abi;
  const char* torch_version; /* the "2.13" that it was built for */
  /* Once, when torch is there. `torch_version`: the full version found, e.g. "2.13.0+cpu". 0 on success. */
  int (*start)(const char* torch_version);
  /* The process ends: write the report. `signal` only with COMMTAP_EXIT_SIGNAL. May be called more than once. */
  void (*finish)(enum commtap_exit how, int signal);
  struct commtap_api api;
};

#ifdef __cplusplus
}
#endif

#endif
