/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Client requests of a benchmark to callgrind: they begin, end and label a block of counted instructions. */

#include <valgrind/callgrind.h>

void counter_begin(void);
void counter_begin(void) {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

void counter_end(int on);
void counter_end(int on) {
  if (on) {
    CALLGRIND_DUMP_STATS_AT("on");
  } else {
    CALLGRIND_DUMP_STATS_AT("off");
  }
  CALLGRIND_STOP_INSTRUMENTATION;
}
