// Names a call across client, server and logs.
#pragma once

#include <string>
#include <string_view>

namespace torqued::server {

inline constexpr char kRequestIdKey[] = "x-request-id";

/// The caller's id if it is 1 to 128 printable ASCII characters without spaces,
/// else a new one: 16 hex digits.
std::string RequestIdFrom(std::string_view wanted);

inline constexpr char kTraceKey[] = "traceparent";

/// The caller's place in a trace, as lower-case hex digits.
struct TraceContext {
  std::string trace_id;   // 32 digits
  std::string parent_id;  // 16 digits: the caller's span
};

/// Of a traceparent of W3C's Trace Context, version 00. Both empty: it is not
/// one, or an id of it is all zero.
TraceContext TraceFrom(std::string_view traceparent);

}  // namespace torqued::server
