#include "server/connections/header_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/server/connections/frames.h"
#include "tests/server/connections/sockets.h"

namespace torqued::server {
namespace {

using frames::kEndHeaders;

constexpr int kMost = HeaderMeter::kMostFields;

std::string Times(const std::string& text, std::int64_t count) {
  std::string all;
  for (std::int64_t i = 0; i < count; ++i) all += text;
  return all;
}

/// How many bytes pass, of a connection that sends these after its preface,
/// `cut` at a time.
std::size_t Passed(const std::string& frames, std::size_t cut = 1 << 20) {
  const std::string text = std::string(kPreface) + frames;
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  const std::span<const std::uint8_t> all(bytes);
  HeaderMeter meter;
  std::size_t at = 0;
  while (at < all.size()) {
    const std::size_t count = std::min(cut, all.size() - at);
    if (!meter.Read(all.subspan(at, count))) break;
    at += count;
  }
  return std::max(at, kPreface.size()) - kPreface.size();
}

bool Passes(const std::string& frames) {
  const std::size_t whole = Passed(frames);
  for (const std::size_t cut : {1, 7, 4096}) {
    EXPECT_EQ(Passed(frames, cut) == frames.size(), whole == frames.size())
        << "cut into " << cut;
  }
  return whole == frames.size();
}

// One field in each of the ways that it may be written, RFC 7541 section 6.
const std::string kLongText = std::string("\x7F\x80\x01", 3) +  // 255 bytes
                              std::string(255, '\x82');
const std::vector<std::string> kFields = {
    "\x82",                                      // by index
    "\xFF\x80\x80\x01",                          // by a long one
    std::string("\x40\x01x\x01y", 5),            // enters the table
    std::string("\x41\x01\x82", 3),              // by the index of its name
    std::string("\x7F\x81\x01\x01\x82", 5),      // by a long one
    std::string("\x00\x01\x82\x02\x82\x82", 6),  // stays out of the table
    std::string("\x0F\x81\x01\x82\x82\x82", 6).substr(0, 3) +
        std::string("\x01\x82", 2),           // by a long index, too
    std::string("\x10\x00\x00", 3),           // never to enter, empty
    std::string("\x00\x81\xFF\x81\xFF", 5),   // in Huffman's code
    std::string("\x00\x01x", 3) + kLongText,  // 255 bytes
};

TEST(HeaderMeterTest, AsManyFieldsPassAsABlockMayHaveAndNotOneMore) {
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_TRUE(Passes(frames::Headers(Times(kFields[i], kMost), kEndHeaders)));
    EXPECT_FALSE(
        Passes(frames::Headers(Times(kFields[i], kMost + 1), kEndHeaders)));
  }
}

TEST(HeaderMeterTest, FieldsOfAllKindsAreToldFromEachOther) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string block;
    for (int i = 0; i < kMost; ++i) {
      block += kFields[random() % kFields.size()];
    }
    EXPECT_TRUE(Passes(frames::Headers(block, kEndHeaders)));
    EXPECT_FALSE(Passes(frames::Headers(
        block + kFields[random() % kFields.size()], kEndHeaders)));
  }
}

TEST(HeaderMeterTest, TheSizeOfTheTableIsNoField) {
  const std::string sizes = Times("\x20\x3F\xE1\x1F", kMost);
  EXPECT_TRUE(
      Passes(frames::Headers(sizes + Times("\x82", kMost), kEndHeaders)));
}

TEST(HeaderMeterTest, ContinuationsAreOfTheirBlock) {
  const std::string& field = kFields.back();
  const std::string block = Times(field, kMost);
  for (const std::size_t cut : {std::size_t{1}, field.size() / 2}) {
    const std::string first = frames::Headers(block.substr(0, cut), 0);
    EXPECT_TRUE(
        Passes(first + frames::Continuation(block.substr(cut), kEndHeaders)));
    EXPECT_FALSE(Passes(first + frames::Continuation(block.substr(cut), 0) +
                        frames::Continuation(field, kEndHeaders)));
  }
  EXPECT_FALSE(Passes(frames::Headers("", 0) +
                      Times(frames::Continuation("\x82", 0), kMost + 1)));
}

TEST(HeaderMeterTest, EachBlockIsCountedByItself) {
  const std::string block = frames::Headers(Times("\x82", kMost), kEndHeaders);
  EXPECT_TRUE(Passes(Times(block, 100)));
  EXPECT_TRUE(
      Passes(Times(frames::Headers("", 0) +
                       frames::Continuation(Times("\x82", kMost), kEndHeaders),
                   100)));
}

TEST(HeaderMeterTest, OtherFramesAreNoHeaders) {
  const std::string much = Times("\x82", std::int64_t{1} << 20);
  for (int type = 0; type < 256; ++type) {
    if (type == frames::kHeaders || type == frames::kContinuation) continue;
    EXPECT_TRUE(Passed(frames::Frame(type, 0xFF, much)) == much.size() + 9);
  }
}

TEST(HeaderMeterTest, APriorityIsNoField) {
  EXPECT_TRUE(
      Passes(frames::Headers(std::string(5, '\x82') + Times("\x82", kMost),
                             kEndHeaders | frames::kHasPriority)));
  EXPECT_FALSE(
      Passes(frames::Headers(std::string(5, '\x82') + Times("\x82", kMost + 1),
                             kEndHeaders | frames::kHasPriority)));
  // Of a frame that has no room for it.
  EXPECT_TRUE(
      Passes(frames::Headers("\x82", kEndHeaders | frames::kHasPriority) +
             frames::Headers(Times("\x82", kMost), kEndHeaders)));
}

TEST(HeaderMeterTest, ABlockHasNoMoreBytesThanItMay) {
  const std::int64_t most = HeaderMeter::kMostBytes;
  // A name of no byte, and a value that does not end.
  const std::string begin("\x00\x00\x7F\xFF\xFF\xFF\x7F", 7);
  const std::string rest(static_cast<std::size_t>(most) - begin.size(), 'x');
  EXPECT_TRUE(Passes(frames::Headers(begin + rest, 0)));
  EXPECT_FALSE(Passes(frames::Headers(begin + rest + "x", 0)));
  EXPECT_FALSE(Passes(frames::Headers(begin, 0) +
                      frames::Continuation(rest, 0) +
                      frames::Continuation("x", 0)));
}

TEST(HeaderMeterTest, NothingPassesBehindWhatDidNot) {
  const std::string block = frames::Headers(Times("\x82", kMost + 1), 0);
  HeaderMeter meter;
  const std::string text = std::string(kPreface) + block;
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  EXPECT_FALSE(meter.Read(bytes));
  const std::vector<std::uint8_t> ping(17);
  EXPECT_FALSE(meter.Read(ping));
}

}  // namespace
}  // namespace torqued::server
