// Defines TORQUED_SANITIZED where a sanitizer watches: it takes time and memory
// of its own, and an allocator.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC
#define TORQUED_SANITIZED
#elif defined(__has_feature)  // Clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TORQUED_SANITIZED
#endif
#endif
