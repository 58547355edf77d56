// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html_page.h"

namespace commtap {

std::string htmlPage(std::string_view data) {
  std::string page;
  page.reserve(kPageBeforeData.size() + data.size() + kPageAfterData.size());
  page.append(kPageBeforeData).append(data).append(kPageAfterData);
  return page;
}

} // namespace commtap
