/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The C interface in a program that runs with and without commtap: cc -I. docs/examples/scopes.c -o scopes */
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
