// Defines TORQUED_SANITIZED in builds with AddressSanitizer or ThreadSanitizer,
// which take time and memory of their own and replace the allocator.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC
#define TORQUED_SANITIZED
#elif defined(__has_feature)  // Clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TORQUED_SANITIZED
#endif
#endif
