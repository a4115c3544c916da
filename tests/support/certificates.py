"""Certificates of a CA of a test's own, by openssl."""

import pathlib
import subprocess
import time

SETTINGS = """
[mine]
database = {0}/index
unique_subject = no
copy_extensions = copy
policy = any
rand_serial = yes
[any]
commonName = supplied
"""


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, timeout=60,
                   stdin=subprocess.DEVNULL, capture_output=True)


class Authority:
    """A CA and its certificates, as PEM files of a directory."""

    def __init__(self, directory, name="ca"):
        self.directory = pathlib.Path(directory)
        self.ca = self.directory / f"{name}.pem"
        self.key = self.directory / f"{name}.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-days", 30, "-subj",
                f"/CN={name}", "-keyout", self.key, "-out", self.ca)
        self.settings = self.directory / f"{name}.cnf"
        self.settings.write_text(SETTINGS.format(self.directory))
        (self.directory / "index").touch()

    def issue(self, name, san="DNS:localhost", seconds=30 * 86400):
        """Files of a certificate, which ends after that time, and its key."""
        cert, key, request = (
            self.directory / f"{name}{end}" for end in (".pem", ".key", ".csr"))
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                "-addext", f"subjectAltName={san}", "-keyout", key, "-out",
                request)
        end = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + seconds))
        openssl("ca", "-batch", "-notext", "-config", self.settings, "-name", "mine",
                "-md", "sha256", "-outdir", self.directory, "-cert", self.ca,
                "-keyfile", self.key, "-in", request, "-enddate", end, "-out", cert)
        return cert, key
