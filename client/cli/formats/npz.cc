#include "client/cli/formats/npz.h"

#include <algorithm>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/npy_reader.h"
#include "client/cli/formats/npy_writer.h"
#include "client/cli/formats/zip_archive.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {

NpzArrays ParseNpz(std::string_view bytes, const NpzWanted& wanted,
                   const std::string& name) {
  constexpr std::string_view kEnding = ".npy";
  const auto is_in = [](std::span<const std::string_view> list,
                        std::string_view array) {
    return std::find(list.begin(), list.end(), array) != list.end();
  };
  NpzArrays arrays;
  const auto is_wanted = [&](const std::string& entry) {
    std::string_view array = entry;
    if (array.ends_with(kEnding)) {
      array.remove_suffix(kEnding.size());
      if (is_in(wanted.numbers, array) || is_in(wanted.names, array)) {
        return true;
      }
    }
    arrays.others.emplace_back(array);
    return false;
  };
  for (const auto& [entry, content] : ReadZip(bytes, is_wanted, name)) {
    const std::string place = name + ", " + PlainText(entry, 20);
    std::string array = entry.substr(0, entry.size() - kEnding.size());
    if (is_in(wanted.names, array)) {
      arrays.names.emplace(std::move(array), ParseNpyNames(content, place));
    } else {
      arrays.numbers.emplace(std::move(array), ParseNpyBlock(content, place));
    }
  }
  return arrays;
}

std::string NpzBytes(const NpzArrays& arrays) {
  ZipEntries entries;
  for (const auto& [name, numbers] : arrays.numbers) {
    entries.emplace(name + ".npy", NpyBytes(numbers));
  }
  for (const auto& [name, names] : arrays.names) {
    entries.emplace(name + ".npy", NpyNamesBytes(names));
  }
  return ZipBytes(entries);
}

}  // namespace torqued::cli
