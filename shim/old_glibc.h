/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_OLD_GLIBC_H
#define COMMTAP_SHIM_OLD_GLIBC_H

/* meson.build includes this before every source of the stub, on systems with glibc.
 *
 * A preloaded library that asks for a symbol version that the system's glibc lacks ends every process that it is put
 * into. The linker takes each function's newest version, and glibc 2.34 gave the functions of libdl new ones when it
 * moved them into libc. These pins select the version that every glibc of the architecture has. A system with an older
 * glibc finds them in libdl.so.2, so meson.build links that by name. Other architectures take what the linker gives. */

#if defined(__x86_64__) && defined(__LP64__)
#define COMMTAP_PIN(name, x86_64_version, aarch64_version) __asm__(".symver " #name "," #name "@GLIBC_" x86_64_version);
#elif defined(__aarch64__) && defined(__LP64__)
#define COMMTAP_PIN(name, x86_64_version, aarch64_version) \
  __asm__(".symver " #name "," #name "@GLIBC_" aarch64_version);
#else
#define COMMTAP_PIN(name, x86_64_version, aarch64_version)
#endif

COMMTAP_PIN(dladdr, "2.2.5", "2.17")
COMMTAP_PIN(dlclose, "2.2.5", "2.17")
COMMTAP_PIN(dlerror, "2.2.5", "2.17")
COMMTAP_PIN(dlinfo, "2.3.3", "2.17")
COMMTAP_PIN(dlopen, "2.2.5", "2.17")
COMMTAP_PIN(dlsym, "2.2.5", "2.17")
COMMTAP_PIN(dlvsym, "2.2.5", "2.17")
#undef COMMTAP_PIN

#endif
