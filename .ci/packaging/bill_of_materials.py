"""The software bill of materials in SPDX 2.3 as JSON: the programs, the C library, and the software linked into them."""

import dataclasses
import datetime
import hashlib
import json
import re
import sys

import linked

NO_ASSERTION = "NOASSERTION"


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def icu_version():
    header = linked.static_build.toolchain().parent / "_foundation_unicode/uvernum.h"
    return re.search(r'define U_ICU_VERSION "(.*)"', header.read_text())[1]


def package(name, version, license, **others):
    return {"SPDXID": identifier(name), "name": name, "versionInfo": version, "downloadLocation": NO_ASSERTION,
            "filesAnalyzed": False, "licenseConcluded": NO_ASSERTION, "licenseDeclared": license, "copyrightText": NO_ASSERTION,
            **others}


def check_versions(program, parts):
    """Checks that the version strings of libraries in the program match the versions of their packages."""
    versions = {part.name: re.sub(r"^\d+:|[-+].*$|\.dfsg", "", part.version) for part in parts}
    for name, text in {"openssl": "OpenSSL {} ", "sqlite3": "{}", "zlib": " inflate {} "}.items():
        text = text.format(versions[name]) if name in versions else ""
        if text.encode() not in program:
            sys.exit(f"{name}: the linked version is not that of its package, {versions[name]}")


@dataclasses.dataclass(frozen=True)
class Product:
    """A file of the release, with its bytes and the result of linked.components()."""
    name: str
    purpose: str
    file: str
    data: bytes
    parts: dict

    @property
    def digest(self):
        return hashlib.sha256(self.data).hexdigest()


def document(products, version, date):
    """Returns the text for the products, the first of which identifies the document."""
    for product in products:
        check_versions(product.data, product.parts)
    licenses = linked.licenses()
    packages = [package(product.name, version, "MIT", primaryPackagePurpose=product.purpose, packageFileName=product.file,
                        checksums=[{"algorithm": "SHA256", "checksumValue": product.digest}])
                for product in products]
    for part in sorted({part for product in products for part in product.parts}):
        files = sorted({file for product in products for file in product.parts.get(part, ())})
        comment = "linked from " + ", ".join(files)
        if part.name == "swift-foundation-icu":
            comment += f"; ICU {icu_version()}, of its data those of English"
        packages.append(package(
            part.name, part.version, licenses[part.name].replace("Expat", "MIT"), primaryPackagePurpose="LIBRARY",
            comment=comment, externalRefs=[
                {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": part.locator}]))
    relationships = [("SPDXRef-DOCUMENT", "DESCRIBES", identifier(product.name)) for product in products]
    relationships += [(identifier(product.name), "STATIC_LINK", identifier(part.name))
                      for product in products for part in product.parts]
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"appreceipt-{version}-linux-x86_64",
        "documentNamespace": f"https://spdx.org/spdxdocs/appreceipt-{version}-{products[0].digest}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: appreceipt-release-{version}"]},
        "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in relationships],
    }, indent=2).encode() + b"\n"
