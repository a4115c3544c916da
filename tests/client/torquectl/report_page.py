"""What is on a page of `torquectl trajectory check --html`."""

import base64
import html
import html.parser
import json
import pathlib
import re
import subprocess

import numpy as np


class Page(html.parser.HTMLParser):
    """A report: its elements, the data in it, and the text without scripts."""

    def __init__(self, path):
        super().__init__()
        self.path, self.elements = path, []
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.data = json.loads(re.search(
            r'id="data">(.*?)</script>', self.source, re.DOTALL)[1])
        self.text = html.unescape(re.search(
            r"<noscript>(.*?)</noscript>", self.source, re.DOTALL)[1])
        self.asked = {**{asked["title"]: asked["words"] for asked in
                         self.data.get("verdict", {}).get("asked_words", ())},
                      **dict(self.data["asked"])}

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def curves(self, joint=0, of="joints"):
        packed = self.data[of]
        packed = packed[joint] if of == "joints" else packed
        return {name: np.frombuffer(base64.b64decode(text), "<f4")
                for name, text in packed.items()}

    def shown(self):
        """What its scripts make of it."""
        script = pathlib.Path(__file__).with_name("read_page.mjs")
        return json.loads(subprocess.run(
            ["node", script, self.path], check=True, stdout=subprocess.PIPE,
            timeout=60).stdout)


def plot_of(shown, section, title):
    return next(plot for plot in shown["plots"] if plot["title"] == title
                and plot["section"].startswith(section))
