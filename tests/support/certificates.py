"""Certificates of a CA of a test's own, by openssl."""

import pathlib
import subprocess


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

    def issue(self, name, san="DNS:localhost", days=30):
        """Files of a certificate and its key."""
        cert, key, request = (
            self.directory / f"{name}{end}" for end in (".pem", ".key", ".csr"))
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                "-addext", f"subjectAltName={san}", "-keyout", key, "-out",
                request)
        openssl("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey",
                self.key, "-copy_extensions", "copy", "-days", days, "-out",
                cert)
        return cert, key
