#include "tests/restarts/load.h"

#include <exception>
#include <iostream>
#include <utility>

namespace torqued::restarts {

void Load::Add(const std::string& kind, Ask ask) {
  std::string expected = ask();
  kinds_.push_back({kind, std::move(ask), std::move(expected)});
}

bool Load::Run() {
  std::vector<std::jthread> threads;
  threads.reserve(kinds_.size());
  for (Kind& kind : kinds_) {
    threads.emplace_back([this, &kind] { Repeat(kind); });
  }
  Tell("ready");
  for (std::string line; std::getline(std::cin, line);) {
    const std::lock_guard lock(mutex_);
    std::cout << Counts() << std::endl;
  }
  stopped_ = true;
  threads.clear();
  std::cout << "done" << Counts() << " failed=" << failed_
            << " wrong=" << wrong_ << std::endl;
  return failed_ == 0 && wrong_ == 0;
}

void Load::Repeat(Kind& kind) {
  while (!stopped_) {
    std::string failure;
    try {
      const bool same = kind.ask() == kind.expected;
      const std::lock_guard lock(mutex_);
      ++kind.answered;
      if (same) continue;
      ++wrong_;
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      ++failed_;
      failure = error.what();
    }
    Tell(failure.empty() ? "WRONG " + kind.name
                         : "FAILED " + kind.name + ": " + failure);
  }
}

void Load::Tell(const std::string& line) {
  const std::lock_guard lock(mutex_);
  std::cout << line << std::endl;
}

std::string Load::Counts() const {
  std::string text;
  for (const Kind& kind : kinds_) {
    text += " " + kind.name + "=" + std::to_string(kind.answered);
  }
  return text;
}

void Saw(const std::string& what) {
  // One write, beside those of others.
  std::cout << "SAW " + what + "\n" << std::flush;
}

int RunAgainst(int argc, char** argv, int (*load)(const std::string& address)) {
  if (argc != 2) return 64;
  try {
    return load(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << std::endl;
    return 1;
  }
}

}  // namespace torqued::restarts
