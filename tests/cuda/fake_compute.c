/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The driver's contexts, memory and kernels. A device's memory is the host's, under another name. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/fake_cuda.h"

enum { kDevices = 2, kMostContexts = 8, kMostThreads = 1024, kWarp = 32, kProcessors = 16, kProcessorsOf = 4 };

struct context {
  bool is_active;
};

/* A copy, the filling of memory, or a kernel. */
struct fake_work {
  uint64_t number;
  void* to;
  const void* from;
  size_t bytes;
  int fill;           /* if `from` and `blocks` are 0 */
  unsigned blocks;    /* of a kernel */
  void* arguments[4]; /* of a kernel */
  struct fake_work* next;
};

/* In fake_kernel.cc. */
void fake_cuda_run_digests(void* const* arguments, unsigned blocks);

static struct context contexts[kDevices] = {{true}, {false}};
static __thread struct context* stack[kMostContexts] = {&contexts[0]};
static __thread int depth;
static uint64_t works;
static size_t allocated;
static size_t allocated_on_host;
static uint64_t launched_kernels;
static const char* failing;
static int failure;

void fake_cuda_fail(const char* function, int error) {
  failing = function;
  failure = error;
}

bool fake_cuda_fails(const char* function, int* error) {
  *error = failure;
  return failing != NULL && strcmp(failing, function) == 0;
}

void fake_cuda_set_active(int device, bool is_active) {
  contexts[device].is_active = is_active;
}

size_t fake_cuda_allocated(void) {
  return allocated;
}

size_t fake_cuda_allocated_on_host(void) {
  return allocated_on_host;
}

uint64_t fake_cuda_launched_kernels(void) {
  return launched_kernels;
}

uint64_t fake_cuda_next_work(void) {
  return works + 1;
}

static void run(const struct fake_work* work) {
  if (work->blocks > 0) {
    fake_cuda_run_digests(work->arguments, work->blocks);
  } else if (work->from != NULL) {
    memcpy(work->to, work->from, work->bytes);
  } else {
    memset(work->to, work->fill, work->bytes);
  }
}

void fake_cuda_run_work(struct fake_stream* stream, uint64_t until) {
  while (stream->work != NULL && stream->work->number < until) {
    struct fake_work* work = stream->work;
    run(work);
    stream->work = work->next;
    free(work);
  }
}

static int queue(const char* function, struct fake_stream* handle, struct fake_work work) {
  int error = kFakeSuccess;
  if (fake_cuda_fails(function, &error)) {
    return error;
  }
  struct fake_stream* stream = fake_cuda_stream(handle);
  fake_cuda_forbid_while_capturing();
  if (stream->capture != 0) {
    fake_cuda_count_forbidden();
  }
  struct fake_work** last = &stream->work;
  while (*last != NULL) {
    last = &(*last)->next;
  }
  *last = malloc(sizeof(work));
  if (*last == NULL) {
    return kFakeNoMemory;
  }
  work.number = ++works;
  **last = work;
  return kFakeSuccess;
}

/* Contexts. */

int cuCtxGetCurrent(struct context** current);
int cuCtxGetCurrent(struct context** current) {
  *current = stack[depth];
  return kFakeSuccess;
}

static bool is_context(const struct context* context) {
  return context == &contexts[0] || (context == &contexts[1] && context->is_active);
}

int cuCtxSetCurrent(struct context* current);
int cuCtxSetCurrent(struct context* current) {
  if (!is_context(current)) {
    return kFakeInvalidValue;
  }
  stack[depth] = current;
  return kFakeSuccess;
}

int cuCtxPushCurrent_v2(struct context* context);
int cuCtxPushCurrent_v2(struct context* context) {
  if (!is_context(context) || depth + 1 == kMostContexts) {
    return kFakeInvalidContext;
  }
  stack[++depth] = context;
  return kFakeSuccess;
}

int cuCtxPopCurrent_v2(struct context** context);
int cuCtxPopCurrent_v2(struct context** context) {
  if (depth == 0) {
    return kFakeInvalidContext;
  }
  *context = stack[depth--];
  return kFakeSuccess;
}

int cuDeviceGet(int* device, int number);
int cuDeviceGet(int* device, int number) {
  *device = number;
  return number < kDevices ? kFakeSuccess : kFakeInvalidValue;
}

int cuDeviceGetAttribute(int* value, int attribute, int device);
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  *value = kProcessorsOf;
  return attribute == kProcessors ? kFakeSuccess : kFakeInvalidValue;
}

int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* is_active);
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* is_active) {
  *flags = 0;
  *is_active = contexts[device].is_active ? 1 : 0;
  return kFakeSuccess;
}

int cuDevicePrimaryCtxRetain(struct context** context, int device);
int cuDevicePrimaryCtxRetain(struct context** context, int device) {
  if (!contexts[device].is_active) { /* it would be created */
    fake_cuda_count_forbidden();
  }
  *context = &contexts[device];
  return kFakeSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device) {
  return device < kDevices ? kFakeSuccess : kFakeInvalidValue;
}

/* Memory. */

static int allocate(const char* function, void** memory, size_t bytes, size_t* total) {
  int error = kFakeSuccess;
  if (fake_cuda_fails(function, &error)) {
    return error;
  }
  fake_cuda_forbid_while_capturing();
  *memory = malloc(bytes);
  if (*memory == NULL) {
    return kFakeNoMemory;
  }
  memset(*memory, 0xa5, bytes);
  *total += bytes;
  return kFakeSuccess;
}

int cuMemAlloc_v2(uintptr_t* address, size_t bytes);
int cuMemAlloc_v2(uintptr_t* address, size_t bytes) {
  void* memory = NULL;
  const int error = allocate("cuMemAlloc_v2", &memory, bytes, &allocated);
  *address = (uintptr_t)memory;
  return error;
}

int cuMemHostAlloc(void** memory, size_t bytes, unsigned flags);
int cuMemHostAlloc(void** memory, size_t bytes, unsigned flags) {
  (void)flags;
  return allocate("cuMemHostAlloc", memory, bytes, &allocated_on_host);
}

int cuMemcpyHtoDAsync_v2(void* to, const void* from, size_t bytes, struct fake_stream* stream);
int cuMemcpyHtoDAsync_v2(void* to, const void* from, size_t bytes, struct fake_stream* stream) {
  return queue("cuMemcpyHtoDAsync_v2", stream, (struct fake_work){.to = to, .from = from, .bytes = bytes});
}

int cuMemcpyDtoHAsync_v2(void* to, const void* from, size_t bytes, struct fake_stream* stream);
int cuMemcpyDtoHAsync_v2(void* to, const void* from, size_t bytes, struct fake_stream* stream) {
  return queue("cuMemcpyDtoHAsync_v2", stream, (struct fake_work){.to = to, .from = from, .bytes = bytes});
}

int cuMemsetD8Async(void* to, unsigned char byte, size_t bytes, struct fake_stream* stream);
int cuMemsetD8Async(void* to, unsigned char byte, size_t bytes, struct fake_stream* stream) {
  return queue("cuMemsetD8Async", stream, (struct fake_work){.to = to, .bytes = bytes, .fill = byte});
}

/* Kernels. A module is the context that it is loaded into, and so is a function of it. */

int cuModuleLoadData(struct context** module, const char* image);
int cuModuleLoadData(struct context** module, const char* image) {
  int error = kFakeSuccess;
  if (fake_cuda_fails("cuModuleLoadData", &error)) {
    return error;
  }
  fake_cuda_forbid_while_capturing();
  *module = stack[depth];
  return strstr(image, ".entry commtapDigests(") != NULL ? kFakeSuccess : kFakeInvalidValue;
}

int cuModuleGetFunction(struct context** function, struct context* module, const char* name);
int cuModuleGetFunction(struct context** function, struct context* module, const char* name) {
  *function = module;
  return strcmp(name, "commtapDigests") == 0 ? kFakeSuccess : kFakeInvalidValue;
}

int cuLaunchKernel(
    const struct context* function,
    unsigned grid_x,
    unsigned grid_y,
    unsigned grid_z,
    unsigned block_x,
    unsigned block_y,
    unsigned block_z,
    unsigned shared_bytes,
    struct fake_stream* stream,
    void** arguments,
    void** extra);
int cuLaunchKernel(
    const struct context* function,
    unsigned grid_x,
    unsigned grid_y,
    unsigned grid_z,
    unsigned block_x,
    unsigned block_y,
    unsigned block_z,
    unsigned shared_bytes,
    struct fake_stream* stream,
    void** arguments,
    void** extra) {
  const bool fits = grid_x > 0 && grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1 && block_x > 0 &&
                    block_x <= kMostThreads && block_x % kWarp == 0 && shared_bytes == 0 && extra == NULL;
  if (!fits || function != stack[depth]) {
    return kFakeInvalidValue;
  }
  ++launched_kernels;
  struct fake_work work = {.blocks = grid_x};
  work.arguments[0] = *(void**)arguments[0];
  work.arguments[1] = (void*)(uintptr_t) * (unsigned*)arguments[1];
  work.arguments[2] = *(void**)arguments[2];
  work.arguments[3] = *(void**)arguments[3];
  return queue("cuLaunchKernel", stream, work);
}
