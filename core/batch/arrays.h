// Views of the caller's memory: row-major tables of numbers.
#pragma once

#include <cstdint>

namespace torqued {

enum class NumberType : std::uint8_t { kF64, kF32 };

constexpr int SizeOf(NumberType type) {
  return type == NumberType::kF64 ? 8 : 4;
}

/// `rows` x `columns` numbers, little-endian, without padding; need not be
/// aligned. No rows: absent.
struct InputArray {
  const void* data = nullptr;
  NumberType type = NumberType::kF64;
  std::int64_t rows = 0;
  int columns = 0;

  bool present() const { return rows > 0; }
};

/// Room for the results of all rows; `columns` is what the plan says. Null
/// data: not wanted.
struct OutputArray {
  void* data = nullptr;
  NumberType type = NumberType::kF64;
};

}  // namespace torqued
