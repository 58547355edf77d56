// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace commtap {

/// The page of tools/html in one piece, before and after the place where its data goes; made by tools/html/bundle.py.
extern const std::string_view kPageBeforeData;
extern const std::string_view kPageAfterData;

/// The page with data from pageData: a document that loads nothing and sends nothing.
std::string htmlPage(std::string_view data);

} // namespace commtap
