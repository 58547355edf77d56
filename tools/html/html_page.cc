// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/html_page.h"

namespace commtap {

namespace {

std::string pageOf(std::string_view connect, std::string_view data) {
  std::string page;
  page.reserve(
      kPageBeforeConnect.size() + connect.size() + kPageBeforeData.size() + data.size() + kPageAfterData.size());
  page.append(kPageBeforeConnect).append(connect).append(kPageBeforeData).append(data).append(kPageAfterData);
  return page;
}

} // namespace

std::string htmlPage(std::string_view data) {
  return pageOf("", data);
}

std::string livePage() {
  return pageOf("; connect-src 'self'", "null");
}

} // namespace commtap
