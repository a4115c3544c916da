// A server that is killed in the middle of registrations.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <random>
#include <thread>

#include "server/registry/registry.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

constexpr int kNames = 3;

std::string NameOf(int registration) {
  return "arm" + std::to_string(registration % kNames);
}

// Large enough to span many pages of the file, so that a torn one would show.
RegisterRequest RegistrationOf(int registration) {
  RegisterRequest request = Request(NameOf(registration), registration + 1);
  request.source.append(20'000, ' ');
  request.label = "latest";
  return request;
}

std::string RevisionOfRegistration(int registration) {
  return ComputeRevision("urdf", RegistrationOf(registration).source,
                         RegistrationOptions());
}

// Registers number after number and writes each to the pipe once acknowledged.
[[noreturn]] void RegisterUntilKilled(const std::string& path, int first,
                                      int acknowledgements) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Registry registry(OpenStore(path));
  for (int i = first;; ++i) {
    if (!std::holds_alternative<RegisterResult>(
            registry.Register(RegistrationOf(i))) ||
        write(acknowledgements, &i, sizeof i) != sizeof i) {
      _exit(1);
    }
  }
}

// Reads numbers up to end of file, or `count` of them; the last one, or `none`.
int LastAcknowledged(int acknowledgements, int none, int count = INT_MAX) {
  int last = none;
  int number = 0;
  while (count-- > 0 &&
         read(acknowledgements, &number, sizeof number) == sizeof number) {
    last = number;
  }
  return last;
}

void SleepMicroseconds(unsigned duration) {
  std::this_thread::sleep_for(std::chrono::microseconds(duration));
}

TEST(Kill, DuringRegistrationKeepsOldOrNew) {
  constexpr int kKills = 50;
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  std::mt19937 random(1);
  int acknowledged = -1;  // all up to this one
  int in_flight_survived = 0;

  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const int first = acknowledged + 1;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(ends[0]);
      RegisterUntilKilled(path, first, ends[1]);
    }
    close(ends[1]);
    if (kill_number % 2 == 0) {
      // Anywhere from before the file is open.
      SleepMicroseconds(random() % 30'000);
    } else {
      // Among registrations, however long the disk takes.
      acknowledged = LastAcknowledged(ends[0], acknowledged, 1 + random() % 20);
      SleepMicroseconds(random() % 2'000);
    }
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the child gave up";
    acknowledged = LastAcknowledged(ends[0], acknowledged);
    close(ends[0]);

    Registry registry(OpenStore(path));
    // The one under way may be there or not; what is there is whole.
    const int next = acknowledged + 1;
    const std::string next_revision = RevisionOfRegistration(next);
    const bool next_is_there = Where(registry, NameOf(next)) == next_revision;
    in_flight_survived += next_is_there ? 1 : 0;
    EXPECT_EQ(Where(registry, '@' + next_revision) == next_revision,
              next_is_there);
    const int newest = next_is_there ? next : acknowledged;
    for (int i = newest; i > newest - kNames && i >= 0; --i) {
      EXPECT_EQ(Where(registry, NameOf(i)), RevisionOfRegistration(i));
      EXPECT_EQ(Where(registry, NameOf(i) + "@latest"),
                RevisionOfRegistration(i));
    }
    for (int i = first; i <= newest; ++i) {
      const auto entry =
          Value(registry.Resolve(NameOf(i) + '@' + RevisionOfRegistration(i)));
      ASSERT_NE(entry.loaded, nullptr) << "lost registration " << i;
      EXPECT_NE(entry.loaded->model, nullptr) << entry.loaded->problem;
    }
    EXPECT_EQ(RunSql(path, "SELECT count(*) FROM revisions"),
              std::to_string(newest + 1));
    EXPECT_EQ(RunSql(path, "PRAGMA integrity_check"), "ok");
    EXPECT_EQ(RunSql(path, "PRAGMA foreign_key_check"), "");
    acknowledged = newest;
    if (HasFailure()) break;
  }
  EXPECT_GE(acknowledged, kKills / 2);
  RecordProperty("registrations", acknowledged + 1);
  RecordProperty("in_flight_survived", in_flight_survived);
}

}  // namespace
}  // namespace torqued::server
