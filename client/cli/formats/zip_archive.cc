#include "client/cli/formats/zip_archive.h"

#include <zip.h>

#include <cstdint>
#include <memory>
#include <new>

#include "client/cli/errors.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

// Deflate makes at most 1032 bytes of one; anything beyond is a lie.
constexpr std::uint64_t kLargestRatio = 1032;
constexpr std::uint64_t kSmallEntry = 4096;
constexpr std::uint64_t kMaxUnpacked = std::uint64_t{2} << 30;
constexpr std::size_t kPiece = 1 << 18;
// Beyond an array for each field there is nothing to be looked for.
constexpr zip_int64_t kMaxEntries = 1000;

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct Close {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using File = std::unique_ptr<zip_file_t, Close>;

std::string Problem(zip_error_t* error) {
  std::string text = zip_error_strerror(error);
  zip_error_fini(error);
  return text;
}

/// Has taken over the source, or freed it.
Archive Open(zip_source_t* source, int flags, const std::string& name) {
  zip_error_t error;
  zip_error_init(&error);
  Archive archive(zip_open_from_source(source, flags, &error));
  if (!archive) {
    zip_source_free(source);
    throw DataError(name, "is no ZIP archive: " + Problem(&error));
  }
  zip_error_fini(&error);
  return archive;
}

/// Whether so many bytes can make that many.
bool CanHold(std::uint64_t compressed, std::uint64_t size) {
  return size <= kSmallEntry || size / kLargestRatio <= compressed;
}

std::string ReadEntry(zip_t* archive, zip_uint64_t index,
                      const zip_stat_t& stat, const std::string& place) {
  const File file(zip_fopen_index(archive, index, 0));
  if (!file) {
    throw DataError(
        place, std::string("cannot be unpacked: ") + zip_strerror(archive));
  }
  // Grows with what is there, not with what is said to be. Only at the end the
  // sum is checked.
  std::string content, piece(kPiece, '\0');
  zip_int64_t got = 0;
  while ((got = zip_fread(file.get(), piece.data(), piece.size())) > 0) {
    content.append(piece, 0, static_cast<std::size_t>(got));
    if (content.size() > stat.size) break;
  }
  if (got < 0 || content.size() != stat.size) {
    throw DataError(place, "cannot be unpacked: its bytes are damaged");
  }
  return content;
}

}  // namespace

bool LooksLikeZip(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with("PK\x05\x06"sv);
}

ZipEntries ReadZip(std::string_view bytes,
                   const std::function<bool(const std::string&)>& is_wanted,
                   const std::string& name) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source =
      zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) throw DataError(name, Problem(&error));
  zip_error_fini(&error);
  const Archive archive = Open(source, ZIP_RDONLY | ZIP_CHECKCONS, name);

  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count > kMaxEntries) {
    throw DataError(name, "has " + std::to_string(count) +
                              " entries, which is more than " +
                              std::to_string(kMaxEntries));
  }
  ZipEntries entries;
  std::uint64_t total = 0;
  for (zip_int64_t k = 0; k < count; ++k) {
    const auto index = static_cast<zip_uint64_t>(k);
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(archive.get(), index, 0, &stat) != 0 ||
        (stat.valid & kNeeded) != kNeeded) {
      throw DataError(name, "has an entry that is not described");
    }
    const std::string place = name + ", " + PlainText(stat.name, 20);
    if (!is_wanted(stat.name)) continue;
    total += stat.size;
    // Entries may share bytes, which then count once.
    if (!CanHold(stat.comp_size, stat.size) || !CanHold(bytes.size(), total)) {
      throw DataError(place, "is larger than its compressed bytes can be");
    }
    if (total > kMaxUnpacked) {
      throw DataError(place, "makes it larger than 2 GiB");
    }
    if (!entries
             .emplace(stat.name, ReadEntry(archive.get(), index, stat, place))
             .second) {
      throw DataError(place, "is there twice");
    }
  }
  return entries;
}

std::string ZipBytes(const ZipEntries& entries) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (source == nullptr) throw std::bad_alloc();
  // The archive gives up its own when it is closed; this one is read after.
  zip_source_keep(source);
  const auto release = [](zip_source_t* used) { zip_source_free(used); };
  const std::unique_ptr<zip_source_t, decltype(release)> kept(source, release);
  Archive archive = Open(source, ZIP_TRUNCATE, "archive");
  for (const auto& [name, content] : entries) {
    zip_source_t* const entry =
        zip_source_buffer(archive.get(), content.data(), content.size(), 0);
    const zip_int64_t index =
        zip_file_add(archive.get(), name.c_str(), entry, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(entry);
      throw std::bad_alloc();
    }
    const auto place = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive.get(), place, ZIP_CM_STORE, 0);
    // The first time that ZIP can tell.
    zip_file_set_dostime(archive.get(), place, 0, 0x21, 0);
  }
  if (zip_close(archive.get()) != 0) throw std::bad_alloc();
  // Closing has freed it.
  [[maybe_unused]] zip_t* const closed = archive.release();

  zip_stat_t stat;
  if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0) {
    throw std::bad_alloc();
  }
  std::string bytes(stat.size, '\0');
  const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(bytes.size())) throw std::bad_alloc();
  return bytes;
}

}  // namespace torqued::cli
