// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/serve_paths.h"

#include <optional>

#include "tools/hosts/host_document.h"
#include "tools/hosts/report_archive.h"
#include "tools/html/html_page.h"
#include "tools/serve/live_jobs.h"

namespace commtap {
namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";

HttpAnswer jobData(LiveMetrics& live, const HttpRequest& request) {
  const std::optional<AttemptKey> key = attemptFrom(request.parameters);
  std::optional<std::string> data = key ? live.jobData(*key) : std::nullopt;
  return data ? HttpAnswer{"application/json", std::move(*data)} : HttpAnswer{"text/plain", "no such job\n", 404};
}

} // namespace

void addServePaths(HttpServer& server, LiveMetrics& live, const std::string& folder) {
  server.get("/metrics", [&live](const HttpRequest& request) {
    const Dialect dialect = wantedDialect(request.accept);
    return HttpAnswer{std::string(contentType(dialect)), live.metrics(dialect)};
  });
  server.get("/", [&live, folder](const HttpRequest&) { return HttpAnswer{kHtml, live.page(folder)}; });
  // Every job gets this page, even one that no longer exists: the page itself reports that.
  server.get("/job", [](const HttpRequest&) { return HttpAnswer{kHtml, livePage(), 200, kLivePagePolicy}; });
  server.get(kHostPath, [&live](const HttpRequest& request) {
    return HttpAnswer{"application/x-ndjson", live.hostDocument(questionFrom(request.parameters))};
  });
  server.get(kArchivePath, [&live](const HttpRequest&) {
    return HttpAnswer{"application/octet-stream", live.reportArchive()};
  });
  server.get("/job\\.json", [&live](const HttpRequest& request) { return jobData(live, request); });
}

} // namespace commtap
