#include "client/cli/formats/zip_archive.h"

#include <zip.h>

#include <array>
#include <cstdint>
#include <memory>
#include <new>

#include "client/cli/errors.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

constexpr std::size_t kMaxUnpacked = std::size_t{2} << 30;

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Source = std::unique_ptr<zip_source_t, decltype(&zip_source_free)>;
using File = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

/// Of bytes that must outlive it; none make an empty source.
Source SourceOf(std::string_view bytes) {
  Source source(
      zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr),
      &zip_source_free);
  if (!source) throw std::bad_alloc();
  return source;
}

Archive Open(const Source& source, int flags, const std::string& name) {
  zip_error_t error;
  zip_error_init(&error);
  // The archive gives up what it holds when it is closed.
  zip_source_keep(source.get());
  Archive archive(zip_open_from_source(source.get(), flags, &error),
                  &zip_discard);
  if (!archive) {
    zip_source_free(source.get());
    const std::string problem = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw DataError(name, "is no ZIP archive: " + problem);
  }
  return archive;
}

/// Grows with what is there, not with what is said to be.
std::string ReadEntry(zip_t* archive, zip_uint64_t index, std::size_t max_size,
                      const std::string& place) {
  const File file(zip_fopen_index(archive, index, 0), &zip_fclose);
  if (!file) {
    throw DataError(
        place, std::string("cannot be unpacked: ") + zip_strerror(archive));
  }
  std::string content;
  std::array<char, 1 << 16> piece;
  zip_int64_t got = 0;
  while ((got = zip_fread(file.get(), piece.data(), piece.size())) > 0) {
    content.append(piece.data(), static_cast<std::size_t>(got));
    if (content.size() > max_size) {
      throw DataError(place, "makes it larger than 2 GiB");
    }
  }
  // At the end the sum is checked.
  if (got < 0) {
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
                   const std::function<bool(std::string_view)>& is_wanted,
                   const std::string& name) {
  const Archive archive =
      Open(SourceOf(bytes), ZIP_RDONLY | ZIP_CHECKCONS, name);
  const auto count =
      static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
  ZipEntries entries;
  std::size_t total = 0;
  for (zip_uint64_t k = 0; k < count; ++k) {
    const char* const entry = zip_get_name(archive.get(), k, 0);
    if (entry == nullptr) throw DataError(name, "has an entry without a name");
    if (!is_wanted(entry)) continue;
    const std::string place = name + ", " + PlainText(entry, 20);
    const auto [at, is_new] = entries.emplace(
        entry, ReadEntry(archive.get(), k, kMaxUnpacked - total, place));
    if (!is_new) throw DataError(place, "is there twice");
    total += at->second.size();
  }
  return entries;
}

std::string ZipBytes(const ZipEntries& entries) {
  const Source source = SourceOf({});
  Archive archive = Open(source, ZIP_TRUNCATE, "archive");
  for (const auto& [name, content] : entries) {
    Source entry = SourceOf(content);
    const zip_int64_t index = zip_file_add(archive.get(), name.c_str(),
                                           entry.get(), ZIP_FL_ENC_UTF_8);
    if (index < 0) throw std::bad_alloc();
    [[maybe_unused]] zip_source_t* const added = entry.release();
    const auto place = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive.get(), place, ZIP_CM_STORE, 0);
    // The first time that ZIP can tell.
    zip_file_set_dostime(archive.get(), place, 0, 0x21, 0);
  }
  if (zip_close(archive.get()) != 0) throw std::bad_alloc();
  [[maybe_unused]] zip_t* const closed = archive.release();

  zip_stat_t stat;
  if (zip_source_stat(source.get(), &stat) != 0 ||
      zip_source_open(source.get()) != 0) {
    throw std::bad_alloc();
  }
  std::string bytes(stat.size, '\0');
  const zip_int64_t got =
      zip_source_read(source.get(), bytes.data(), bytes.size());
  zip_source_close(source.get());
  if (got != static_cast<zip_int64_t>(bytes.size())) throw std::bad_alloc();
  return bytes;
}

}  // namespace torqued::cli
