"""The manual pages and the packaged settings say what the programs do."""

import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
SERVER = os.environ["TORQUED_SERVER"]
CTL = os.environ["TORQUECTL"]
MANUAL = SOURCE / "docs" / "man"
PAGES = sorted(path.name for path in MANUAL.iterdir())
SETTINGS = SOURCE / "deploy" / "systemd" / "torqued.toml"

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*|(?<![\w-])-[a-z](?![\w-])")


def output(*command):
    # Wide lines and no hyphenation: every word stands in one piece.
    environment = dict(os.environ, LC_ALL="C", MANWIDTH="1000",
                       MAN_KEEP_FORMATTING="")
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False,
        env=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout


def page(name):
    return output("man", "--no-hyphenation", "--local-file",
                  str(MANUAL / name))


def flags_of_help(text):
    """The flags that stand at the beginning of a line, with other spellings."""
    found = set()
    for line in re.findall(r"^  (-\S+)", text, re.MULTILINE):
        found |= {word for word in line.split(",") if word.startswith("-")}
    return found


def subcommands(text):
    """Names and other names of what a help text lists."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    if not listed:
        return []
    return [re.split(r", ?", names) for names in re.findall(
        r"^  (\w[\w-]*(?:, [\w-]+)*)  ", listed.group(1), re.MULTILINE)]


def helps(*command):
    """The help texts of a command and of all below it, by their words."""
    text = output(CTL, *command, "--help")
    texts = {command: text}
    for names in subcommands(text):
        texts |= helps(*command, names[0])
    return texts


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_clean(name):
    path = str(MANUAL / name)
    result = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", path], capture_output=True,
        text=True, timeout=60, check=False)
    assert result.stdout + result.stderr == ""
    result = subprocess.run(
        ["man", "--warnings", "--encoding=UTF-8", "--local-file", path],
        capture_output=True, text=True, timeout=60, check=False,
        env=dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80"))
    assert result.returncode == 0
    assert result.stderr == ""


def test_flags_of_the_server():
    flags = set()
    for command in ((), ("store", "backup"), ("store", "check")):
        flags |= flags_of_help(output(SERVER, *command, "--help"))
    assert "--overwrite" in flags
    assert set(FLAG.findall(page("torqued.8"))) == flags


def test_flags_of_the_command_line():
    flags = set()
    for text in helps().values():
        flags |= flags_of_help(text)
    assert len(flags) > 30
    assert set(FLAG.findall(page("torquectl.1"))) == flags


def test_commands_of_the_command_line():
    explained = set(re.findall(r"^\.It Cm ([a-z-]+(?: [a-z]+)?)",
                               (MANUAL / "torquectl.1").read_text(),
                               re.MULTILINE))
    texts = helps()
    # `trajectory` does something by itself.
    leaves = {" ".join(command) for command, text in texts.items()
              if not subcommands(text) or command == ("trajectory",)}
    assert explained == leaves
    text = page("torquectl.1")
    for names in subcommands(texts[()]):
        for name in names:
            assert re.search(rf"\b{name}\b", text), name


def keys(text):
    """Keys and values, as `key = value` or `key=value` gives them."""
    return dict(re.findall(r"^([a-z-]+) ?= ?(.*)$", text, re.MULTILINE))


def settings(*arguments):
    """What the server says that is in force, without the place of the store,
    which depends on the user."""
    result = keys(output(SERVER, *arguments, "--print-config"))
    del result["store"]
    return result


def test_packaged_settings_are_the_defaults(tmp_path):
    text = SETTINGS.read_text()
    assert keys(text) == {}
    file = tmp_path / "torqued.toml"
    file.write_text(re.sub(r"^#([a-z-]+ = )", r"\1", text,
                           flags=re.MULTILINE))
    written = keys(file.read_text())
    effective = settings("--config", str(file))
    assert written.pop("store") == '"/var/lib/torqued/models.db"'
    defaults = settings()
    for values in (written, effective, defaults):
        del values["models"]  # an example, there is no default
    # Where there is less memory the defaults are less.
    for key in ("max-message-bytes", "max-inflight-bytes"):
        assert int(defaults[key]) <= int(written[key])
        defaults[key] = written[key]
    assert written == defaults
    assert effective == defaults


def test_keys_and_example_of_the_settings_page(tmp_path):
    source = (MANUAL / "torqued.toml.5").read_text()
    listed = re.findall(r"^\.It Li ([a-z-]+) Ta", source, re.MULTILINE)
    assert set(listed) == set(settings()) | {"store"}
    example = re.search(r"^\.Bd -literal.*\n((?:.*\n)*?)\.Ed", source,
                        re.MULTILINE).group(1)
    file = tmp_path / "torqued.toml"
    file.write_text(example)
    effective = settings("--config", str(file))
    assert effective["max-rows"] == "500000"
    assert "/run/torqued/socket" in effective["listen"]
