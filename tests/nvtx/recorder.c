// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// A profiler that NVTX loads: writes a line for each time that it is loaded into a library, and for each domain and
// range, to the file NVTX_RECORD.PID, or without NVTX_RECORD to stderr: "load", "domain NAME", "push NAME THREAD TEXT"
// and "pop NAME THREAD". With NVTX_REFUSES it does not want ranges.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*function)(void);
typedef int (*get_functions)(uint32_t module, function*** table, unsigned int* size);

struct callback_table {
  size_t struct_size;
  get_functions get;
};

struct attributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const char* message;
};

static FILE* record(void) {
  static FILE* file;
  if (file == NULL && getenv("NVTX_RECORD") == NULL) {
    file = stderr;
  }
  if (file == NULL) {
    char path[4096];
    snprintf(path, sizeof(path), "%s.%d", getenv("NVTX_RECORD"), getpid());
    file = fopen(path, "a");
    setlinebuf(file);
  }
  return file;
}

static void* create_domain(const char* name) {
  fprintf(record(), "domain %s\n", name);
  return (void*)name;
}

static int push_range(void* domain, const struct attributes* range) {
  const int is_text = range->version == 3 && range->size == sizeof(*range) && range->message_type == 1;
  fprintf(record(), "push %s %d %s\n", (const char*)domain, gettid(), is_text ? range->message : "?");
  return 0;
}

static int pop_range(void* domain) {
  fprintf(record(), "pop %s %d\n", (const char*)domain, gettid());
  return 0;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void* (*export_table)(uint32_t));

int InitializeInjectionNvtx2(const void* (*export_table)(uint32_t)) {
  const struct callback_table* callbacks = export_table(1);
  function** core2 = NULL;
  unsigned int size = 0;
  if (getenv("NVTX_REFUSES") != NULL || callbacks->get(5, &core2, &size) == 0 || size != 16) {
    return 0;
  }
  fprintf(record(), "load\n");
  *core2[4] = (function)push_range;
  *core2[5] = (function)pop_range;
  *core2[12] = (function)create_domain;
  return 1;
}
