"""TLS certificates under a certificate authority that exists only during a test."""

import subprocess


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


class Authority:
    def __init__(self, folder):
        self.folder, self.certificate, self.key = folder, folder / "authority.pem", folder / "authority.key"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", 2, "-subj", "/CN=test authority",
                "-addext", "keyUsage=critical,keyCertSign", "-keyout", self.key, "-out", self.certificate)

    def issue(self, name, *hosts):
        """Issues a certificate. Returns the paths of it and its key: NAME.pem and NAME.key in the folder."""
        certificate, key, asked, extensions = (self.folder / f"{name}.{kind}" for kind in ("pem", "key", "csr", "cnf"))
        extensions.write_text("subjectAltName=" + ",".join(f"DNS:{host}" for host in hosts))
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", asked)
        openssl("x509", "-req", "-in", asked, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
                "-days", 2, "-extfile", extensions, "-out", certificate)
        return certificate, key
