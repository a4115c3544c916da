"""The model store: its quota; copies of one in use; what is said of damage."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

import grpc
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import all_models, register
from processes import running

GOOD, NO_ANSWER, DAMAGED = 0, 1, 2


def store(*words, environment=None):
    return harness.run_to_exit("store", *words, environment=environment)


def check(path):
    return store("check", path)


def pendulum(number):
    return robots.pendulum(1.0, 1 + number)


@contextlib.contextmanager
def changed(path):
    """A connection that commits what is done with it."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        with connection:
            yield connection


@pytest.fixture(name="models")
def fixture_models(tmp_path):
    """A store with some models, whose server has stopped."""
    with harness.Server(tmp_path / "server") as server:
        with harness.Client(server.address) as client:
            for number in range(5):
                register(client, f"arm{number}", pendulum(number), label="best")
            register(client, "arm0", pendulum(100))
        assert server.stop() == 0
    return server.store


class Writer:
    """Registers models without a pause, each under a name of its own."""

    def __init__(self, address, who):
        self._address = address
        self._who = who
        self.acknowledged = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        with harness.Client(self._address) as client:
            while not self._stop.is_set():
                number = len(self.acknowledged)
                name = f"w{self._who}-{number}"
                # Of many pages.
                source = pendulum(number) + " " * 20_000
                reply = register(client, name, source)
                self.acknowledged.append((name, reply.model.revision))

    def stop(self):
        self._stop.set()
        self._thread.join(harness.CALL_SECONDS)
        assert not self._thread.is_alive()


def test_a_backup_under_load_has_all_that_was_acknowledged(tmp_path):
    with harness.Server(tmp_path / "server") as server:
        writers = [Writer(server.address, who) for who in range(3)]
        try:
            for turn in range(8):
                before = [len(writer.acknowledged) for writer in writers]
                # Time goes by in registrations.
                harness.until(lambda: sum(
                    len(w.acknowledged) for w in writers) >= sum(before) + 9)
                known = [pair for writer in writers
                         for pair in list(writer.acknowledged)]
                copy = tmp_path / f"copy{turn}.db"
                done = store("backup", copy, "--store", server.store)
                assert done.returncode == GOOD, done.stdout
                assert done.stdout == ""
                with contextlib.closing(sqlite3.connect(copy)) as connection:
                    there = dict(connection.execute(
                        "SELECT name, revision FROM names"))
                    verdict, = connection.execute("PRAGMA integrity_check")
                assert verdict == ("ok",)
                assert dict(known).items() <= there.items()
                good = check(copy)
                assert good.returncode == GOOD, good.stdout
                assert f"good, {len(there)} names" in good.stdout
        finally:
            for writer in writers:
                writer.stop()
        # The store in use itself can be checked, too.
        assert check(server.store).returncode == GOOD
        assert server.stop() == 0
    assert len(known) >= 8 * 9
    # The copy is one file, and a store.
    assert not list(tmp_path.glob("copy*-*"))
    with harness.Server(tmp_path / "restored", store=copy) as server:
        with harness.Client(server.address) as client:
            models = all_models(client)
            assert {(name, models[name].revision) for name, _ in known} == set(
                known)
            for name, _ in known[-3:]:
                assert client.registry.GetModel(registry_pb.GetModelRequest(
                    model=name)).model.state == registry_pb.MODEL_STATE_READY


def test_a_copy_has_the_mode_of_the_store(tmp_path, models):
    for mode in (0o600, 0o640, 0o644):
        models.chmod(mode)
        copy = tmp_path / f"{mode:o}.db"
        assert store("backup", copy, "--store", models).returncode == GOOD
        assert copy.stat().st_mode & 0o777 == mode


def test_nothing_is_replaced_unless_asked(tmp_path, models):
    copy = tmp_path / "copy.db"
    copy.write_text("mine")
    refused = store("backup", copy, "--store", models)
    assert refused.returncode == NO_ANSWER
    assert "is there already; --overwrite replaces it" in refused.stdout
    assert copy.read_text() == "mine"
    assert store("backup", copy, "--overwrite", "--store",
                 models).returncode == GOOD
    assert check(copy).returncode == GOOD
    # Through a link, what it leads to is replaced.
    link = tmp_path / "link.db"
    link.symlink_to(copy)
    copy.write_text("mine")
    assert store("backup", link, "--overwrite", "--store",
                 models).returncode == GOOD
    assert link.is_symlink() and check(copy).returncode == GOOD


def test_a_store_is_no_place_for_a_copy(tmp_path, models):
    hard, soft = tmp_path / "hard.db", tmp_path / "soft.db"
    os.link(models, hard)
    soft.symlink_to(models)
    for same in (models, hard, soft):
        refused = store("backup", same, "--overwrite", "--store", models)
        assert refused.returncode == NO_ANSWER
        assert "is the store itself" in refused.stdout
    with harness.Server(tmp_path / "other") as server:
        refused = store("backup", server.store, "--overwrite", "--store",
                        models)
        assert refused.returncode == NO_ANSWER
        assert ("a store in use" in refused.stdout
                or "a running server" in refused.stdout)
    # A log that is left would be taken for the copy's.
    log = tmp_path / "copy.db-wal"
    log.write_text("x")
    refused = store("backup", tmp_path / "copy.db", "--store", models)
    assert refused.returncode == NO_ANSWER and str(log) in refused.stdout
    assert not (tmp_path / "copy.db").exists()


def test_a_backup_that_fails_leaves_nothing(tmp_path, models):
    target = tmp_path / "target"
    target.mkdir()
    missing = store("backup", target / "a.db", "--store", tmp_path / "none.db")
    assert missing.returncode == NO_ANSWER
    assert "No such file or directory" in missing.stdout
    elsewhere = store("backup", target / "no" / "a.db", "--store", models)
    assert elsewhere.returncode == NO_ANSWER
    with changed(models) as connection:
        connection.execute("UPDATE revisions SET source = zeroblob(9)")
    damaged = store("backup", target / "a.db", "--store", models)
    assert damaged.returncode == DAMAGED
    assert "its SHA-256 is another" in damaged.stdout
    assert not list(target.iterdir())


def signalled_backup(tmp_path, models, number):
    """Exit code and output of a backup that gets the signal while it writes to
    the folder tmp_path / "target"."""
    with changed(models) as connection:
        connection.execute("CREATE TABLE ballast (x)")
        connection.executemany("INSERT INTO ballast VALUES (zeroblob(?))",
                               [(100_000,)] * 3000)
    target = tmp_path / "target"
    target.mkdir()
    with running(
            harness.server_binary(), "store", "backup", target / "copy.db",
            "--store", models, env=harness.clean_environment(),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        give_up = time.monotonic() + harness.CALL_SECONDS
        while not list(target.iterdir()):
            assert process.poll() is None and time.monotonic() < give_up
        process.send_signal(number)
        said, _ = process.communicate(timeout=harness.CALL_SECONDS)
    return process.returncode, said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_backup_leaves_nothing(tmp_path, models, number):
    assert signalled_backup(tmp_path, models, number) == (
        NO_ANSWER, "torqued: interrupted\n")
    assert not list((tmp_path / "target").iterdir())


def test_a_backup_goes_on_where_a_signal_means_nothing(tmp_path, models):
    assert signalled_backup(tmp_path, models, signal.SIGHUP) == (GOOD, "")
    assert check(tmp_path / "target" / "copy.db").returncode == GOOD


def test_check_says_what_is_damaged_and_where(tmp_path, models):
    def damaged(*sql):
        path = shutil.copy(models, tmp_path / "damaged.db")
        with changed(path) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            for statement in sql:
                connection.execute(statement)
        done = check(path)
        assert done.returncode == DAMAGED, done.stdout
        *lines, verdict = done.stdout.splitlines()
        assert verdict.startswith(f"{path}: damaged")
        assert all(line.startswith(f"{path}: ") for line in lines)
        return "\n".join(lines)

    assert check(models).returncode == GOOD
    revision, = next(sqlite3.connect(models).execute(
        "SELECT revision FROM names WHERE name = 'arm3'"))
    for member, other in (("source", "CAST(source || ' ' AS BLOB)"),
                          ("options", "options || ' '"),
                          ("format", "'sdf'")):
        said = damaged(f"UPDATE revisions SET {member} = {other} "
                       f"WHERE revision = '{revision}'")
        assert said.count("\n") == 0
        assert f"revision {revision} of arm3: " in said and "SHA-256" in said
    said = damaged(f"DELETE FROM history WHERE revision = '{revision}'")
    assert {line.split(": ", 1)[1] for line in said.splitlines()} == {
        f"table {table}: a row refers to one of table history that is missing"
        for table in ("names", "labels")}
    assert "another program" in damaged("PRAGMA application_id = 7")


def test_check_of_files_that_are_no_stores(tmp_path, models):
    def said_of(content, code):
        path = tmp_path / "file.db"
        path.write_bytes(content)
        done = check(path)
        assert done.returncode == code, done.stdout
        assert path.read_bytes() == content
        return done.stdout

    whole = models.read_bytes()
    assert "no tables" in said_of(b"", DAMAGED)
    assert "not a database" in said_of(b"This is no database." * 500, DAMAGED)
    assert "malformed" in said_of(whole[:len(whole) // 2], DAMAGED)
    # The beginning of a page of a tree.
    torn = bytearray(whole)
    torn[4096 * 2:4096 * 2 + 8] = b"\xff" * 8
    assert "file.db: pages: " in said_of(bytes(torn), DAMAGED)
    assert check(tmp_path).returncode == NO_ANSWER
    newer = shutil.copy(models, tmp_path / "newer.db")
    with changed(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    done = check(newer)
    assert done.returncode == NO_ANSWER and "newer torqued" in done.stdout


def test_what_a_killed_server_leaves_is_backed_up_and_checked(tmp_path):
    with harness.Server(tmp_path / "server") as server:
        with harness.Client(server.address) as client:
            register(client, "arm", pendulum(1))
        server.kill()
    copy = tmp_path / "copy.db"
    assert store("backup", copy, "--store", server.store).returncode == GOOD
    for path in (server.store, copy):
        assert "good, 1 names" in check(path).stdout


def test_a_full_store_refuses_a_new_name_with_a_reason_of_its_own(start):
    server = start("--max-models", 2)
    with harness.Client(server.address) as client:
        register(client, "arm", pendulum(1))
        register(client, "leg", pendulum(2))
        failure = harness.failure_of(register, client, "hand", pendulum(1))
        assert failure.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert failure.reason == "QUOTA_REACHED"
        assert failure.metadata["limit"] == "2"
        assert failure.metadata["setting"] == "max-models"
        # Trying again does not help.
        assert failure.retry_delay is None
        register(client, "arm", pendulum(3))
        client.registry.DeleteModel(
            registry_pb.DeleteModelRequest(name="leg"))
        register(client, "hand", pendulum(4))
