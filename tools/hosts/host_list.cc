// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/hosts_view.h"

#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tools/http/http_stream.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using Hosts = std::vector<HostPort>;

constexpr size_t kMostHosts = size_t{1} << 16U;
constexpr size_t kMostDigits = 9;

/// Returns nullopt if there can be no server at `text`: port 0, or a name with a slash.
std::optional<HostPort> hostFrom(std::string_view text) {
  Result<HostPort> host = parseHostPort(text);
  const bool is_host = host && host->port != 0 && host->host.find('/') == std::string::npos;
  return is_host ? std::optional(std::move(*host)) : std::nullopt;
}

void addOnce(Hosts& hosts, HostPort host) {
  if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
    hosts.push_back(std::move(host));
  }
}

/// Splits at the commas outside of brackets.
std::vector<std::string_view> partsOf(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i == text.size() ? ',' : text[i];
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && (depth == 0 || i == text.size())) {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  return parts;
}

/// Appends `names` with each number of "001-003,7" added to each. Returns false if that is no list of numbers.
bool addNumbers(std::string_view list, std::vector<std::string>& names) {
  std::vector<std::string> made;
  for (const std::string_view range : partsOf(list)) {
    const size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
    const std::optional<int64_t> first = wholeNumber(low);
    const std::optional<int64_t> last = wholeNumber(high);
    if (!first || !last || *first > *last || low.size() > kMostDigits || high.size() > kMostDigits) {
      return false;
    }
    const auto count = static_cast<size_t>(*last - *first + 1);
    if (made.size() + names.size() * count > kMostHosts) {
      return false;
    }
    for (const std::string& name : names) {
      for (int64_t number = *first; number <= *last; ++number) {
        made.push_back(fmt::format("{}{:0{}}", name, number, low.size()));
      }
    }
  }
  names = std::move(made);
  return true;
}

/// Returns the names of "gpu[1-2]-[a,b]"; nothing if a bracket is not closed or holds no numbers.
std::vector<std::string> namesOf(std::string_view part) {
  std::vector<std::string> names = {""};
  while (!part.empty()) {
    const size_t open = std::min(part.find('['), part.size());
    for (std::string& name : names) {
      name += part.substr(0, open);
    }
    part.remove_prefix(open);
    if (part.empty()) {
      break;
    }
    const size_t close = part.find(']');
    if (close == std::string_view::npos || !addNumbers(part.substr(1, close - 1), names)) {
      return {};
    }
    part.remove_prefix(close + 1);
  }
  return names;
}

} // namespace

bool isHostList(const std::string& text) {
  return access(text.c_str(), F_OK) != 0 && hostFrom(std::string_view(text).substr(0, text.find(',')));
}

Result<Hosts> hostsFromList(std::string_view text) {
  Hosts hosts;
  for (const std::string_view part : partsOf(text)) {
    std::optional<HostPort> host = hostFrom(part);
    if (!host) {
      return Result<Hosts>::failure(fmt::format("\"{}\" is not HOST:PORT, such as node1:{}", part, kDefaultServePort));
    }
    addOnce(hosts, std::move(*host));
  }
  return hosts;
}

Result<Hosts> hostsFromNodeList(std::string_view text, uint16_t port) {
  Hosts hosts;
  for (const std::string_view part : partsOf(text)) {
    const std::vector<std::string> names = namesOf(part);
    if (part.empty() || names.empty() || hosts.size() + names.size() > kMostHosts) {
      return Result<Hosts>::failure(fmt::format("\"{}\" is not a node list, such as gpu[001-016],login", text));
    }
    for (const std::string& name : names) {
      hosts.push_back({name, port});
    }
  }
  return hosts;
}

Result<Hosts> hostsFromName(const std::string& name, uint16_t port) {
  constexpr std::chrono::seconds kLimit(5);
  const Result<std::vector<SocketAddress>> found = addressesOf(name, port, std::chrono::steady_clock::now() + kLimit);
  if (!found) {
    return Result<Hosts>::failure(fmt::format("{}: {}", name, found.error()));
  }
  Hosts hosts;
  for (const SocketAddress& each : *found) {
    std::array<char, NI_MAXHOST> text{};
    const auto* address = reinterpret_cast<const sockaddr*>(&each.bytes);
    if (getnameinfo(address, each.size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      addOnce(hosts, {text.data(), port});
    }
  }
  return hosts;
}

} // namespace commtap
