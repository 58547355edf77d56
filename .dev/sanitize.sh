# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Runs unit tests and real jobs with commtap's code under sanitizers.

# Threads meet in the process of a job. The programs of the command line take as long to build as all others together,
# so that only `all` looks for races in them.
readonly UNIT_TESTS_OF_JOBS="test_report test_tracker test_python test_shim"

# Instruments commtap, but not Python or torch. To halve the build time, it disables optimization and the checks of
# UndefinedBehaviorSanitizer that compile slowest and overlap with AddressSanitizer.
sanitize_with() { # address | thread, pytest's arguments ...
  local kind=$1 folder=$BUILD-$1 checks=$1 runtime=libtsan.so names
  shift
  if [ "$kind" = address ]; then checks=address,undefined runtime=libasan.so; fi
  configure "$folder" -Db_sanitize="$checks" -Doptimization=0 \
    -Dcpp_args="-O0 -Wno-tsan -fno-sanitize=vptr,null,alignment,pointer-overflow"
  if [ "$kind" = thread ] && [ $# = 0 ]; then
    export UNIT_TESTS=$UNIT_TESTS_OF_JOBS
  fi
  say "building for $kind sanitizer"
  mapfile -t names < <(targets_of "$folder" unit)
  ninja -C "$folder" --quiet "${JOB_TARGETS[@]}" "${names[@]}"
  export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  export TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:ignore_noninstrumented_modules=1:suppressions=$PWD/tests/sanitizers/thread.supp
  SANITIZER_RUNTIME=$(g++ -print-file-name="$runtime")
  export SANITIZER_RUNTIME
  test_unit "$folder" "$kind: "
  BUILD_DIR=$folder run_pytest "$kind" tests/sanitizers "$@"
  unset UNIT_TESTS
}

sanitize() { # [address | thread] [all]: both sanitizers by default; `all` runs every real job
  # With high address randomization, the sanitizers may not find free address ranges for their shadow memory.
  if [ -z "${SANITIZE_ASLR:-}" ] && setarch "$(uname -m)" -R true 2>/dev/null; then
    SANITIZE_ASLR=off exec setarch "$(uname -m)" -R ./dev sanitize "$@"
  fi
  local kinds=(address thread) kind tier=()
  case ${1:-} in address | thread) kinds=("$1"); shift ;; esac
  case ${1:-} in
    "") ;;
    all) tier=(-m "") ;;
    *) usage >&2; exit 2 ;;
  esac
  set_up
  start_results
  for kind in "${kinds[@]}"; do
    sanitize_with "$kind" "${tier[@]}"
  done
  finish
}
