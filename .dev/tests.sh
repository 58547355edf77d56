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

# On a terminal ninja counts what it builds; elsewhere a line says so at each tenth.
compile() { # build folder, ninja's targets ...
  say "building ${1#"$PWD/"}"
  if [ -t 1 ]; then
    ninja -C "$@"
    return
  fi
  NINJA_STATUS='[%f/%t] ' ninja -C "$@" | awk '
    /^ninja: (Entering|no work)/ { next }
    !/^\[[0-9]+\/[0-9]+\] / { print; fflush(); next }
    { split(substr($1, 2), count, /[\/\]]/); tenth = int(10 * count[1] / count[2]) }
    tenth > last { printf "built %d of %d\n", count[1], count[2]; fflush(); last = tenth }'
}

build() { # ninja's targets ...
  set_up
  configure "$BUILD"
  compile "$BUILD" "${@:-${USER_TARGETS[@]}}"
}

targets_of() { # build folder, unit [NAME] | programs | e2e
  python .dev/targets.py "$@"
}

# One call of ninja for all: between two calls a core idles until the last source of the first is compiled.
build_tests() { # build folder, what targets.py takes ...
  local folder=$1 names
  shift
  set_up
  configure "$folder"
  names=$(targets_of "$folder" "$@")
  mapfile -t names <<<"$names"
  compile "$folder" "${names[@]}"
}

readonly RESULTS=$BUILD/results

# With PART_OF_ALL, the calling ./dev collects the results.
start_results() {
  [ -n "${PART_OF_ALL:-}" ] || rm -rf "$RESULTS" "$RESULTS.parts"
  mkdir -p "$RESULTS"
}

# Creates an empty result, which counts as failed, if a suite ended before it wrote its result.
must_exist() { # result
  [ -e "$1" ] || : >"$1"
}

# A second of a part of ./dev test is easier to save if its part is known.
timed() { # name of the part, command ...
  local name=$1 start=$SECONDS
  shift
  "$@"
  printf 'part %s: %d s\n' "$name" $((SECONDS - start)) >>"$RESULTS.parts"
}

test_unit() { # build folder, label, [NAME]
  "${PLAIN_ADDRESSES[@]}" python .dev/unit_tests.py "$1" "$RESULTS" "${@:2}" || true
  must_exist "$RESULTS/$2unit.json"
}

# Prints the first build folder in which the programs with such test cases are built.
tree_with() { # NAME
  local folder names
  for folder in "$BUILD" "$BUILD-address" "$BUILD-thread"; do
    [ -e "$folder/build.ninja" ] || continue
    mapfile -t names < <(targets_of "$folder" unit "$1" 2>/dev/null)
    if [ ${#names[@]} -gt 0 ] && (cd "$folder" && ls "${names[@]}" >/dev/null 2>&1); then
      echo "$folder"
      return
    fi
  done
}

# Takes the tree that has the programs; if none has, builds the part of them that has the test cases.
test_unit_named() { # NAME
  local folder names
  set_up
  folder=$(tree_with "$1")
  if [ -n "$folder" ]; then
    [ "$folder" = "$BUILD" ] || watch_for "${folder##*-}"
    build_tests "$folder" unit "$1"
    test_unit "$folder" "" "$1"
    return
  fi
  configure "$BUILD"
  names=$(python .dev/part_of_tests.py "$BUILD" "$1" inputs)
  mapfile -t names <<<"$names"
  compile "$BUILD" "${names[@]}"
  names=$(python .dev/part_of_tests.py "$BUILD" "$1" link)
  mapfile -t names <<<"$names"
  test_unit "$BUILD" "" "$1" "${names[@]}"
}

run_pytest() { # name of the result, pytest's arguments ...
  local name=$1
  shift
  "${PLAIN_ADDRESSES[@]}" pytest -q --junitxml="$RESULTS/$name.xml" "$@" || true
  must_exist "$RESULTS/$name.xml"
}

# Two workers, each with whole files: one can compute while the other waits for a server or a browser.
readonly WORKERS=(-n 2 --dist loadfile --no-loadscope-reorder)

test_e2e() { # pytest's arguments ...
  need_chromium
  set_up_tests
  run_pytest pytest "$@"
}

# What ships is what is tested: pytest takes shim, trackers, command and Python package from the wheel. The build tree
# has the programs that tests run.
test_e2e_of_wheel() { # pytest's arguments ...
  timed "test programs" build_tests "$BUILD" programs
  TESTED_SITE=$BUILD/dist/site timed "tests of the wheel" test_e2e "$@"
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
  local folder=$BUILD-torch-$1 interpreter
  set_up
  set_up_tests
  interpreter=$(python .dev/matrix.py "$1" --environment)
  [ -e "$folder/build.ninja" ] || meson setup "$folder" -Dpython="$interpreter" >/dev/null
  build_tests "$folder" e2e
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
      if [ $# = 1 ]; then
        build_tests "$BUILD" unit
        test_unit "$BUILD" ""
      else
        test_unit_named "$2"
      fi
      ;;
    e2e)
      build_tests "$BUILD" e2e
      if [ $# = 1 ]; then test_e2e "${WORKERS[@]}"; else test_e2e "${@:2}"; fi
      ;;
    docs) test_docs ;;
    all)
      set_up tests long lint
      timed wheel wheel_for_tests 2.13 2.14
      timed build build_tests "$BUILD" unit
      timed "unit tests" test_unit "$BUILD" ""
      test_e2e_of_wheel "${WORKERS[@]}" -m ""
      record clang-tidy tidy all
      record witnesses witnesses
      record "witnesses jobs" witnesses jobs
      PART_OF_ALL=1 ./dev sanitize all
      ;;
    "")
      set_up tests
      timed wheel wheel_for_tests 2.13
      test_e2e_of_wheel "${WORKERS[@]}"
      ;;
    *) usage >&2; exit 2 ;;
  esac
  finish
}

# What a change of pages alone can break, without a build.
test_docs() {
  set_up tests lint
  record words python .dev/words.py
  run_pytest docs tests/python/test_page_lengths.py tests/python/test_named_pages.py tests/e2e/tools/test_guides.py
}

finish() {
  [ -z "${PART_OF_ALL:-}" ] || return 0
  if [ -e "$RESULTS.parts" ]; then cat "$RESULTS.parts"; fi
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
  set_up tests
  build
  if [ "${1:-}" = jobs ]; then
    witness_environment "$folder/venv-jobs" tests/witnesses/requirements-jobs.txt --no-deps
    "$folder/venv-jobs/bin/python" tests/witnesses/training.py --build "$BUILD" "${@:2}"
    return
  fi
  witness_environment "$folder/venv" tests/witnesses/requirements.txt
  "$folder/venv/bin/python" tests/witnesses/witnesses.py --build "$BUILD" "$@"
}
