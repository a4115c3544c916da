"""The manual pages have the flags of all commands, and the packaged settings are the
defaults."""

import os
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
BUILD = os.environ["TEST_BUILD"]
SERVER = os.environ["TORQUED_BINARY"]
CTL = os.environ["TORQUECTL"]
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*|(?<![\w-])-[a-z](?![\w-])")


def output(*command):
    # Wide lines and no hyphenation: every word stands in one piece.
    environment = dict(os.environ, LC_ALL="C", MANWIDTH="1000",
                       MAN_KEEP_FORMATTING="")
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False,
        env=environment)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def flags_of_page(name):
    return set(FLAG.findall(output(
        "man", "--no-hyphenation", "--warnings", "--local-file", f"{BUILD}/{name}")))


def flags_of_help(*command):
    """Those of a command and of all below it, with other spellings."""
    text = output(*command, "--help")
    found = {flag for line in re.findall(r"^  (-\S+)", text, re.MULTILINE)
             for flag in line.split(",") if flag.startswith("-")}
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    for name in re.findall(r"^  (\w[\w-]*)", listed[1] if listed else "",
                           re.MULTILINE):
        found |= flags_of_help(*command, name)
    return found


def test_flags_of_the_server():
    flags = flags_of_help(SERVER) | flags_of_help(SERVER, "store", "backup")
    flags |= flags_of_help(SERVER, "store", "check")
    flags |= flags_of_help(SERVER, "token", "create")
    assert "--overwrite" in flags
    assert flags_of_page("torqued.8") == flags


def test_flags_of_the_command_line():
    flags = flags_of_help(CTL)
    assert len(flags) > 30
    assert flags_of_page("torquectl.1") == flags


def test_packaged_settings_are_the_defaults():
    text = (SOURCE / "deploy" / "systemd" / "torqued.toml").read_text()
    packaged, defaults = (
        dict(re.findall(rf"^{start}([a-z-]+) ?= ?(.*)$", source, re.MULTILINE))
        for start, source in (("#", text),
                              ("", output(SERVER, "--print-config"))))
    del packaged["models"]  # which has none
    assert "listen" in packaged and packaged.items() <= defaults.items()
