/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A library that is linked with one version of the runtime, as libtorch_cuda.so is. Opened with RTLD_LOCAL; the
 * functions are those that the loader has bound its references to. */

#include <stddef.h>
#include <string.h>

#define FOR_EACH(function)                                                                        \
  function(cudaStreamBeginCapture) function(cudaStreamEndCapture) function(cudaGraphInstantiate)  \
      function(cudaGraphExecUpdate) function(cudaGraphClone) function(cudaGraphAddChildGraphNode) \
          function(cudaGraphLaunch) function(cudaGraphDestroy) function(cudaGraphExecDestroy)     \
              function(cudaEventRecord) function(cudaStreamWaitEvent) function(fake_cuda_launched_graphs)

#define DECLARE(name) int name(void);
FOR_EACH(DECLARE)

void* cuda_user_function(const char* name);
void* cuda_user_function(const char* name) {
  static const struct {
    const char* name;
    int (*function)(void);
  } functions[] = {
#define ENTRY(name) {#name, name},
      FOR_EACH(ENTRY)};
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i) {
    if (strcmp(functions[i].name, name) == 0) {
      return (void*)functions[i].function;
    }
  }
  return NULL;
}

typedef int stream_wait(void*, void*, unsigned);

/* For the benchmark: nothing but calls. */
void cuda_user_repeat(stream_wait* function, size_t times, void* event);
void cuda_user_repeat(stream_wait* function, size_t times, void* event) {
  for (size_t i = 0; i < times; ++i) {
    function(NULL, event, 0);
  }
}
