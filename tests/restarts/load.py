"""Calls of several kinds at once, repeated until told to stop, each held
against the answer that it had before."""

import sys
import threading


class Load:
    """A line on stdout for each call that fails or answers otherwise. Lines on
    stdin are answered with the number of answers, by kind."""

    def __init__(self):
        self._lock = threading.Lock()
        self._answered = {}
        self._failed = 0
        self._wrong = 0
        self.stopped = threading.Event()

    def begin(self, kind):
        self._answered[kind] = 0

    def answered(self, kind, same):
        with self._lock:
            self._answered[kind] += 1
            if not same:
                self._wrong += 1
                print("WRONG", kind, flush=True)

    def failed(self, kind, error):
        with self._lock:
            self._failed += 1
            print(f"FAILED {kind}: {type(error).__name__}: {error}", flush=True)

    def _counts(self):
        return " ".join(f"{kind}={n}" for kind, n in self._answered.items())

    def tell_until_told_to_stop(self):
        print("ready", flush=True)
        for _ in sys.stdin:
            with self._lock:
                print(self._counts(), flush=True)
        self.stopped.set()

    def summary(self):
        """Prints it; the exit code."""
        print(f"done {self._counts()} failed={self._failed} "
              f"wrong={self._wrong}", flush=True)
        return 1 if self._failed or self._wrong else 0


def run(asks):
    """Repeats the functions of a dictionary, each on a thread of its own; the
    exit code."""
    load = Load()
    expected = {kind: ask() for kind, ask in asks.items()}

    def repeat(kind):
        while not load.stopped.is_set():
            try:
                answer = asks[kind]()
            except Exception as error:  # pylint: disable=broad-except
                load.failed(kind, error)
            else:
                load.answered(kind, answer == expected[kind])

    for kind in asks:
        load.begin(kind)
    threads = [threading.Thread(target=repeat, args=(kind,)) for kind in asks]
    for thread in threads:
        thread.start()
    load.tell_until_told_to_stop()
    for thread in threads:
        thread.join()
    return load.summary()
