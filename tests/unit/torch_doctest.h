// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// torch and doctest both define CHECK. This header includes torch's first and removes it.
#include <c10/util/Logging.h>
#ifndef DOCTEST_LIBRARY_INCLUDED
#undef CHECK
#undef CHECK_EQ
#undef CHECK_NE
#undef CHECK_LE
#undef CHECK_LT
#undef CHECK_GE
#undef CHECK_GT
#endif

#include <doctest/doctest.h>
