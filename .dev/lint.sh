# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Checks formatting and wording, and runs the linters.

sources() { git ls-files --cached --others --exclude-standard -- '*.c' '*.cc' '*.h'; }

# Checks a source again only if the source, a header of commtap or the settings have changed. Takes the compile commands
# from a build tree that is never built: the usual one compiles several sources at once, and its precompiled headers are
# GCC's. Without them, a missing include is found. Code that runs in the job is analyzed at full depth; for report/ and
# tools/, mode=shallow takes a quarter of the time.
tidy() { # [all]: all sources; otherwise those that a change can affect
  local cache=$BUILD/tidy commands=$BUILD/single-sources key
  mkdir -p "$cache"
  configure "$commands" -Dunity=off
  ninja -C "$commands" --quiet build.ninja
  sed -E 's/ -include [^ ]+//g' "$commands/compile_commands.json" >"$cache/compile_commands.json"
  key=$(cat .clang-tidy .dev/lint.sh meson.build .dev/requirements/lint.txt $(sources | grep '\.h$') | sha256sum | cut -c1-16)
  python .dev/changed_sources.py "$@" | xargs -r -P "$(nproc)" -I{} bash -c '
    stamp='"$cache"'/'"$key"'-$(sha256sum <"{}" | cut -c1-16)
    [ -e "$stamp" ] && exit 0
    case {} in
      report/* | tools/*) depth=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=mode=shallow) ;;
    esac
    clang-tidy -p '"$cache"' --quiet "${depth[@]}" "{}" 2>/dev/null && touch "$stamp"'
}

lint() { # [all]
  set_up lint
  start_results
  record clang-format clang-format --dry-run --Werror $(sources)
  record clang-tidy tidy "$@"
  record biome biome ci --colors=off tools/html
  record ruff bash -c 'ruff check --quiet . && ruff format --check --quiet .'
  record words python .dev/words.py
  record budget python .dev/budget.py
  finish
}
