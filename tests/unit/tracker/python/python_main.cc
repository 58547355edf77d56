// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// The test program of the tracker's Python part. It embeds Python: the part leaves CPython's symbols to the interpreter
// that loads it, and this program is such an interpreter. Debian's python3-dev and a shared build of CPython have the
// library for it.

#define DOCTEST_CONFIG_IMPLEMENT
#include <Python.h>

#include <cstdio>

#include <doctest/doctest.h>

namespace {

/// Makes Python take each object from malloc(), so that AddressSanitizer finds the use of one that was freed.
PyStatus chooseAllocator() {
  PyPreConfig config;
  PyPreConfig_InitIsolatedConfig(&config);
  config.allocator = PYMEM_ALLOCATOR_MALLOC;
  return Py_PreInitialize(&config);
}

/// Starts the Python that COMMTAP_PYTHON names. Does not read the variables of the environment, which may be for
/// another Python.
PyStatus configurePython() {
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, COMMTAP_PYTHON);
  if (PyStatus_Exception(status) == 0) {
    status = Py_InitializeFromConfig(&config);
  }
  PyConfig_Clear(&config);
  return status;
}

bool startPython() {
  PyStatus status = chooseAllocator();
  if (PyStatus_Exception(status) == 0) {
    status = configurePython();
  }
  if (PyStatus_Exception(status) != 0) {
    std::fprintf(stderr, "Python %s does not start: %s\n", COMMTAP_PYTHON, status.err_msg);
  }
  return PyStatus_Exception(status) == 0;
}

} // namespace

int main(int argc, char** argv) {
  if (!startPython()) {
    return 1;
  }
  return doctest::Context(argc, argv).run();
}
