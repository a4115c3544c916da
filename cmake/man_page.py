#!/usr/bin/python3
"""Writes a manual page from the --help of a program and of all its commands.

Usage: man_page.py PROGRAM SECTION OUTPUT
"""

import os
import pathlib
import re
import subprocess
import sys

LIST = re.compile(r"^(Positionals|Options|Subcommands):\n((?:  .*\n)*)", re.MULTILINE)
ENTRY = re.compile(r"^  (\S.*?)\n? {2,}(\S.*)$", re.MULTILINE)


def output(*command):
    """Of any machine: a default that its text describes is left out below."""
    return subprocess.run(
        command, check=True, capture_output=True, text=True,
        env={"HOME": "/home/USER", "PATH": os.environ["PATH"]}).stdout


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def entries(text):
    """Of the arguments and options of a command."""
    for name, listed in LIST.findall(text):
        for head, words in ENTRY.findall(listed) if name != "Subcommands" else []:
            if "(default: " in words:
                head = re.sub(r"=\S+", "", head)
            flag, _, form = head.partition(" ")
            yield f".TP\n\\fB{roff(flag)}\\fR {roff(form)}\n{roff(words)}\n"


def footer(text):
    """The paragraphs after the lists."""
    end = text[list(LIST.finditer(text))[-1].end():].strip()
    return end.split("\n\n") if end else []


def commands(program, *above):
    """All commands below one, each with its usage and its options."""
    lists = dict(LIST.findall(output(program, *above, "--help") + "\n"))
    for names, _ in ENTRY.findall(lists.get("Subcommands", "")):
        command = (*above, names.split(",")[0])
        text = output(program, *command, "--help") + "\n"
        summary, usage = re.match(r"(.*)\nUsage: (.*)\n", text).groups()
        yield (f".SS {roff(' '.join(command))}\n{roff(summary)}\n.PP\n\\fB{roff(usage)}\\fR\n")
        yield from entries(re.sub(r"\n  -h,--help.*", "", text))
        yield from (f".PP\n{roff(each)}\n" for each in footer(text))
        yield from commands(program, *command)


def page(program, section):
    name = pathlib.Path(program).name
    text = output(program, "--help") + "\n"
    summary, usage = re.match(r"(.*)\.\nUsage: (.*)\n", text).groups()
    yield f'.TH {name.upper()} {section} "" "{output(program, "--version").strip()}"\n.ad l\n'
    yield f".SH NAME\n{name} \\- {roff(summary[0].lower() + summary[1:])}\n"
    yield f".SH SYNOPSIS\n\\fB{roff(usage)}\\fR\n.SH OPTIONS\n"
    yield from entries(text)
    yield ".SH COMMANDS\n"
    yield from commands(program)
    for paragraph in footer(text):
        heading, body = re.match(r"(?:(.+):\n)?((?s:.*))", paragraph).groups()
        yield f".SH {(heading or 'Notes').upper()}\n.nf\n{roff(body)}\n.fi\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[3]).write_text("".join(page(*sys.argv[1:3])), encoding="utf-8")
