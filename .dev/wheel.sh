# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Makes the wheel, with compilers and packaging tools in a virtual environment of their own.

wheel() { # make_wheel.py's arguments
  local venv=$PWD/build/wheel/venv
  set_up
  if ! cmp -s .dev/wheel/requirements.txt "$venv/.requirements"; then
    say "installing .dev/wheel/requirements.txt into $venv"
    "$VENV/bin/python" -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check -r .dev/wheel/requirements.txt 2> >(grep -v '^WARNING: ' >&2)
    cp .dev/wheel/requirements.txt "$venv/.requirements"
  fi
  has_wheel_packages || install_system_packages "${WHEEL_PACKAGES[@]}"
  if [[ " $* " == *" --arch aarch64 "* ]] && ! command -v aarch64-linux-gnu-g++ >/dev/null; then
    install_system_packages g++-aarch64-linux-gnu qemu-user
  fi
  PATH=$venv/bin:$PATH "$venv/bin/python" .dev/wheel/make_wheel.py "$@"
}

# CI takes the torch and the Python of .venv: each further torch costs a minute or two.
wheel_for_tests() { # minors of torch ...
  local wheel
  export WHEEL_TORCHES=$*
  say "making a wheel"
  wheel --dest "$BUILD/dist" "${@/#/--torch=}" --python "$VENV/bin/python" >/dev/null
  rm -rf "$BUILD/dist/site"
  for wheel in "$BUILD"/dist/commtap-*"$(uname -m)".whl; do
    "$VENV/bin/pip" install -q --disable-pip-version-check --no-index --no-deps --target "$BUILD/dist/site" "$wheel"
  done
}
