/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Uses the C interface; runs with and without commtap. Build: cc -I. docs/examples/scopes.c -o scopes */
#include <stdio.h>

#include "shim/commtap.h"

int main(void) {
  char module[64] = "(no commtap here)";
  commtap_scope_push("evaluation");
  commtap_current_module(module, sizeof(module));
  printf("%s\n", module);
  commtap_scope_pop();
  return 0;
}
