"""What is different from language to language. The stubs and the program of
docs/other-languages.md are made by the lines of that page, in a directory."""

import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).parent
COMPILE_SECONDS = 200


def compiled(*command, environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          timeout=COMPILE_SECONDS, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


class Java:
    FILE = "Planner.java"
    STATES = r"double\[\] q = \{(.*?)\}"
    # After the page's lines.
    THEN = 'printf %s "$jars" > jars\n'

    @staticmethod
    def environment(_directory):
        return dict(os.environ)

    @staticmethod
    def conformance(directory):
        """The command that runs it."""
        classes = directory / "build" / "java" / "classes"
        jars = ((directory / "jars").read_text()
                + ":/usr/share/java/protobuf-util.jar")
        compiled("javac", "-nowarn", "-cp", f"{classes}:{jars}", "-d", classes,
                 HERE / "Conformance.java",
                 environment=Java.environment(directory))
        return ["java", "-cp", f"{classes}:{jars}", "Conformance"]


class Go:
    FILE = "planner.go"
    STATES = r"q := \[\]float64\{(.*?)\}"
    THEN = ""

    @staticmethod
    def environment(directory):
        return {**os.environ, "GOCACHE": str(directory / "cache"),
                "GO111MODULE": "off",
                "GOPATH": f"{directory}/build/go:/usr/share/gocode"}

    @staticmethod
    def conformance(directory):
        package = directory / "build/go/src/example.com/conformance"
        package.mkdir()
        shutil.copy(HERE / "conformance.go", package)
        program = directory / "conformance"
        compiled("go", "build", "-o", program, "example.com/conformance",
                 environment=Go.environment(directory))
        return [program]


LANGUAGES = {"java": Java, "go": Go}
