#include "server/registry/store_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "server/registry/own_file.h"

namespace torqued::server {

FileId FileId::Of(int descriptor) {
  struct stat found{};
  if (fstat(descriptor, &found) != 0) return {};
  return {.device = found.st_dev, .inode = found.st_ino};
}

std::optional<FileId> FileId::Of(const std::string& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId{.device = found.st_dev, .inode = found.st_ino};
}

OpenFiles::OpenFiles(const std::string& path, const FileId& file,
                     OwnFile& content)
    : content_(&content) {
  files_.push_back({path, file});
  for (const char* end : {"-wal", "-shm"}) {
    files_.push_back({path + end, FileId::Of(path + end)});
  }
}

std::string OpenFiles::Problem() const {
  // Takes files away itself.
  std::string problem = content_->Problem();
  return problem.empty() ? ProblemOfNames() : problem;
}

std::optional<std::string> OpenFiles::KnownProblem() const {
  auto problem = content_->KnownProblem();
  if (problem && problem->empty()) problem = ProblemOfNames();
  return problem;
}

std::string OpenFiles::ProblemOfNames() const {
  for (const Known& known : files_) {
    const auto now = FileId::Of(known.path);
    if (now == known.id) continue;
    return known.path + (now ? " was replaced" : " was deleted") +
           " while the server has it open";
  }
  return {};
}

bool IsPathOfStore(const std::string& path) {
  return !path.empty() && !path.starts_with(':') && !path.starts_with("file:");
}

std::vector<std::string> FilesOfStore(const std::string& path) {
  return {path, path + "-wal", path + "-shm", path + "-journal",
          path + ".lock"};
}

bool RenameNoReplace(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    return true;
  }
  // Network file systems and those in user space do not know the flag. A link
  // replaces nothing either.
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (link(from.c_str(), to.c_str()) != 0) return false;
  unlink(from.c_str());
  return true;
}

std::string PutLogAside(const std::string& path, std::int64_t frames) {
  const std::string log = path + "-wal";
  std::string aside = log + ".left";
  for (int k = 2; !RenameNoReplace(log, aside); ++k) {
    if (errno != EEXIST) {
      return log + " cannot be put aside (" +
             std::generic_category().message(errno) +
             "): take it away before the next start";
    }
    aside = log + ".left" + std::to_string(k);
  }
  // Without its log it is of no use.
  unlink((path + "-shm").c_str());
  SyncDirectory(std::filesystem::path(path).parent_path());
  return "its log, of " + std::to_string(frames) +
         (frames == 1 ? " page, is now " : " pages, is now ") + aside;
}

void SyncDirectory(const std::filesystem::path& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace torqued::server
