# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Judges the sources.

sources() { git ls-files --cached --others --exclude-standard -- '*.c' '*.cc' '*.h'; }

# Judged again only when the source, a header of ours or the settings have changed. Without the precompiled headers, of
# which clang knows nothing, so that an include that is missing is found. What lives in the job is analyzed in full depth;
# of the rest the analyzer follows no long paths, which takes a quarter of the time.
tidy() { # all, or nothing for what has changed
  local cache=$BUILD/tidy key
  mkdir -p "$cache"
  sed -E 's/ -include [^ ]+//g' "$BUILD/compile_commands.json" >"$cache/compile_commands.json"
  key=$(cat .clang-tidy .dev/lint.sh meson.build requirements-dev.txt $(sources | grep '\.h$') | sha256sum | cut -c1-16)
  python .dev/changed_sources.py "$@" | xargs -r -P "$(nproc)" -I{} bash -c '
    stamp='"$cache"'/'"$key"'-$(sha256sum <"{}" | cut -c1-16)
    [ -e "$stamp" ] && exit 0
    case {} in
      report/* | tools/*) depth=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=mode=shallow) ;;
    esac
    clang-tidy -p '"$cache"' --quiet "${depth[@]}" "{}" 2>/dev/null && touch "$stamp"'
}

lint() { # all, or nothing for what has changed
  set_up
  start_results
  configure "$BUILD"
  record clang-format clang-format --dry-run --Werror $(sources)
  record clang-tidy tidy "$@"
  record biome biome ci --colors=off tools/html
  record ruff bash -c 'ruff check --quiet . && ruff format --check --quiet .'
  finish
}
