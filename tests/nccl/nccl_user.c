/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A library that is linked with NCCL, as libtorch_cuda.so is. Opened with RTLD_LOCAL, so that NCCL is in no global
 * scope; the functions are those that the loader has bound its references to. */

#include <stddef.h>
#include <string.h>

#ifdef STUB_RCCL
#define FOR_EACH_OF_RCCL(function) function(AllReduceWithBias) function(AllToAll) function(AllToAllv)
#else
#define FOR_EACH_OF_RCCL(function)
#endif

#define FOR_EACH(function)                                                                                             \
  function(AllReduce) function(ReduceScatter) function(AllGather) function(AlltoAll) function(Broadcast)               \
      function(Reduce) function(AllReduceConfig) function(Send) function(Recv) function(GroupStart) function(GroupEnd) \
          function(Bcast) function(CommInitRank) function(CommInitRankConfig) function(CommSplit)                      \
              function(CommDestroy) FOR_EACH_OF_RCCL(function)

#define DECLARE(name) int nccl##name(void);
FOR_EACH(DECLARE)

void* nccl_user_function(const char* name);
void* nccl_user_function(const char* name) {
  static const struct {
    const char* name;
    int (*function)(void);
  } functions[] = {
#define ENTRY(name) {"nccl" #name, nccl##name},
      FOR_EACH(ENTRY)};
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i) {
    if (strcmp(functions[i].name, name) == 0) {
      return (void*)functions[i].function;
    }
  }
  return NULL;
}

typedef int all_reduce(const void*, void*, size_t, int, int, void*, void*);

/* For the benchmark: nothing but calls. */
void nccl_user_repeat(all_reduce* function, size_t times, void* communicator);
void nccl_user_repeat(all_reduce* function, size_t times, void* communicator) {
  for (size_t i = 0; i < times; ++i) {
    function(NULL, NULL, 1024, 7, 0, communicator, NULL);
  }
}
