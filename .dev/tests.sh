# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Builds commtap and runs the tests.

# The targets that a job needs, and a user. Functions that run tests build the tests' targets.
readonly JOB_TARGETS=(shim/libcommtap.so tracker-library python-part)
readonly USER_TARGETS=("${JOB_TARGETS[@]}" tools/commtap)

configure() { # build folder, Meson's arguments ...
  local folder=$1
  shift
  [ -e "$folder/build.ninja" ] && return
  say "configuring $folder; the first build of all takes about 15 minutes on two cores"
  meson setup "$folder" -Dpython="$VENV/bin/python" "$@" >/dev/null
}

# On a terminal ninja counts what it builds.
build() { # ninja's targets ...
  local quiet=()
  set_up
  configure "$BUILD"
  say "building"
  [ -t 1 ] || quiet=(--quiet)
  ninja -C "$BUILD" "${quiet[@]}" "${@:-${USER_TARGETS[@]}}"
}

targets_of() { # build folder, unit [NAME] | e2e
  python .dev/targets.py "$@"
}

# One call of ninja for all: between two calls a core idles until the last source of the first is compiled. With NAME,
# only the programs that have such a case, and what they load.
build_tests() { # unit [NAME] | e2e | nothing for both
  local names
  set_up
  configure "$BUILD"
  mapfile -t names < <(
    if [ $# = 0 ]; then
      targets_of "$BUILD" unit && targets_of "$BUILD" e2e
    else
      targets_of "$BUILD" "$@"
    fi
  )
  if [ $# = 2 ]; then build "${names[@]}"; else build "${USER_TARGETS[@]}" "${names[@]}"; fi
}

readonly RESULTS=$BUILD/results

# With PART_OF_ALL, the calling ./dev collects the results.
start_results() {
  [ -n "${PART_OF_ALL:-}" ] || rm -rf "$RESULTS"
  mkdir -p "$RESULTS"
}

# Creates an empty result, which counts as failed, if a suite ended before it wrote its result.
must_exist() { # result
  [ -e "$1" ] || : >"$1"
}

test_unit() { # build folder, label, [NAME]
  python .dev/unit_tests.py "$1" "$RESULTS" "${@:2}" || true
  must_exist "$RESULTS/$2unit.json"
}

run_pytest() { # name of the result, pytest's arguments ...
  local name=$1
  shift
  pytest -q --junitxml="$RESULTS/$name.xml" "$@" || true
  must_exist "$RESULTS/$name.xml"
}

# Two workers, each with whole files: one can compute while the other waits for a server or a browser.
readonly WORKERS=(-n 2 --dist loadfile --no-loadscope-reorder)

test_e2e() { # pytest's arguments ...
  need_chromium
  set_up_tests
  run_pytest pytest "$@"
}

# What ships is what is tested: pytest takes shim, trackers, command and Python package from the wheel.
test_e2e_of_wheel() { # pytest's arguments ...
  TESTED_SITE=$BUILD/dist/site test_e2e "$@"
}

record() { # name of the result, command ...: runs the command and adds a result
  local name=$1 ok=1
  shift
  say "$name"
  "$@" || { ok=0; say "$name: failed"; }
  printf '{"passed": %d, "failed": %d, "cases": [[0, "%s"]], "failures": [%s]}\n' $ok $((1 - ok)) "$name" \
    "$([ $ok = 1 ] || printf '"%s"' "$name")" >"$RESULTS/$name.json"
}

# The other packages come from .venv. The environment and the build folder stay, for the next time.
test_with_torch() { # torch, pytest's arguments ...
  local folder=$BUILD-torch-$1 interpreter names
  set_up
  set_up_tests
  interpreter=$(python .dev/matrix.py "$1" --environment)
  [ -e "$folder/build.ninja" ] || meson setup "$folder" -Dpython="$interpreter" >/dev/null
  mapfile -t names < <(targets_of "$folder" e2e)
  say "building $folder"
  ninja -C "$folder" --quiet "${USER_TARGETS[@]}" "${names[@]}"
  BUILD_DIR=$folder "$interpreter" -m pytest -q "${@:2}"
}

run_tests() { # unit [NAME] | e2e [pytest's arguments ...] | torch MINOR [pytest's arguments ...] | all
  if [ "${1:-}" = torch ]; then
    test_with_torch "${@:2}"
    return
  fi
  start_results
  case ${1:-} in
    unit)
      build_tests unit "${@:2}"
      test_unit "$BUILD" "" "${@:2}"
      ;;
    e2e)
      build_tests e2e
      if [ $# = 1 ]; then test_e2e "${WORKERS[@]}"; else test_e2e "${@:2}"; fi
      ;;
    all)
      build_tests
      wheel_for_tests
      test_unit "$BUILD" ""
      test_e2e_of_wheel "${WORKERS[@]}" -m ""
      record clang-tidy tidy all
      record witnesses witnesses
      record "witnesses jobs" witnesses jobs
      PART_OF_ALL=1 ./dev sanitize all
      ;;
    "")
      build_tests
      wheel_for_tests
      test_unit "$BUILD" ""
      test_e2e_of_wheel "${WORKERS[@]}"
      ;;
    *) usage >&2; exit 2 ;;
  esac
  finish
}

finish() {
  [ -z "${PART_OF_ALL:-}" ] || return 0
  python .dev/verdict.py "$RESULTS" "$SECONDS"
}

# Makes a virtual environment with what a requirements file names, and with the torch that commtap is built for.
witness_environment() { # folder, requirements file, pip's options ...
  local venv=$1 requirements=$2
  cmp -s "$requirements" "$venv/.requirements" && return
  say "installing $requirements into $venv"
  "$VENV/bin/python" -m venv --clear "$venv"
  "$VENV/bin/python" -c 'import os, sysconfig, torch
print(sysconfig.get_path("purelib"), os.path.dirname(os.path.dirname(torch.__file__)), sep="\n")' \
    >"$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/torch.pth"
  "$venv/bin/pip" install -q --disable-pip-version-check "${@:3}" -r "$requirements" 2> >(grep -v '^WARNING: ' >&2)
  cp "$requirements" "$venv/.requirements"
}

witnesses() { # SUITE ... | jobs [JOB ...]
  local folder=$BUILD/witnesses
  build
  if [ "${1:-}" = jobs ]; then
    witness_environment "$folder/venv-jobs" tests/witnesses/requirements-jobs.txt --no-deps
    "$folder/venv-jobs/bin/python" tests/witnesses/training.py --build "$BUILD" "${@:2}"
    return
  fi
  witness_environment "$folder/venv" tests/witnesses/requirements.txt
  "$folder/venv/bin/python" tests/witnesses/witnesses.py --build "$BUILD" "$@"
}
