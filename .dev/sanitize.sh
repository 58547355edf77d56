# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Runs unit tests and real jobs with commtap's code under sanitizers.

# The programs whose code starts threads, as the job's process does: the ledger's writer, the tracker, the frames of
# Python's threads. The command line's programs take as long to build as all others together; `all` looks for races there.
readonly UNIT_TESTS_WITH_THREADS="test_report test_tracker test_python"

# With high address randomization, the sanitizers may not find free address ranges for their shadow memory.
PLAIN_ADDRESSES=()

# Sets what programs of a sanitizer's tree need.
watch_for() { # address | thread
  local runtime=libtsan.so
  if [ "$1" = address ]; then runtime=libasan.so; fi
  export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  export TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:ignore_noninstrumented_modules=1:suppressions=$PWD/tests/sanitizers/thread.supp
  SANITIZER_RUNTIME=$(g++ -print-file-name="$runtime")
  export SANITIZER_RUNTIME
  if setarch "$(uname -m)" -R true 2>/dev/null; then PLAIN_ADDRESSES=(setarch "$(uname -m)" -R); fi
}

# Instruments commtap, but not Python or torch. To halve the build time, it disables optimization and the checks of
# UndefinedBehaviorSanitizer that compile slowest and overlap with AddressSanitizer.
sanitize_with() { # address | thread, pytest's arguments ...
  local kind=$1 folder=$BUILD-$1 checks=$1
  shift
  if [ "$kind" = address ]; then checks=address,undefined; fi
  configure "$folder" -Db_sanitize="$checks" -Doptimization=0 \
    -Dcpp_args="-O0 -Wno-tsan -fno-sanitize=vptr,null,alignment,pointer-overflow"
  if [ "$kind" = thread ] && [ $# = 0 ]; then
    export UNIT_TESTS=$UNIT_TESTS_WITH_THREADS
  fi
  watch_for "$kind"
  timed "build for the $kind sanitizer" build_tests "$folder" unit
  timed "unit tests, $kind sanitizer" test_unit "$folder" "$kind: "
  compile "$folder" "${JOB_TARGETS[@]}"
  BUILD_DIR=$folder timed "jobs, $kind sanitizer" run_pytest "$kind" tests/sanitizers "$@"
  unset UNIT_TESTS
}

sanitize() { # [address | thread] [all]: both sanitizers by default; `all` runs every real job
  local kinds=(address thread) kind tier=()
  case ${1:-} in address | thread) kinds=("$1"); shift ;; esac
  case ${1:-} in
    "") ;;
    all) tier=(-m "") ;;
    *) usage >&2; exit 2 ;;
  esac
  set_up tests
  start_results
  for kind in "${kinds[@]}"; do
    sanitize_with "$kind" "${tier[@]}"
  done
  finish
}
