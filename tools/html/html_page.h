// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace commtap {

/// The page of tools/html, around the places for whom it may ask and for its data; made by tools/html/bundle.py.
extern const std::string_view kPageBeforeConnect;
extern const std::string_view kPageBeforeData;
extern const std::string_view kPageAfterData;

/// The page with data from pageData: a document that loads nothing and sends nothing.
std::string htmlPage(std::string_view data);

/// The page without data: it asks the server that it came from, and nobody else.
std::string livePage();

/// What goes with it as a header: the page itself holds the rest of its policy, but may not say this.
inline constexpr const char* kLivePagePolicy = "frame-ancestors 'none'";

} // namespace commtap
