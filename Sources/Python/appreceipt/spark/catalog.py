"""The catalog of a Spark audit, which lists products by group and by app."""

from __future__ import annotations

import json
from typing import Any

#: (app, or None if the catalog names no apps; product; group)
Group = tuple[str | None, str, str]


class Catalog:
    """A catalog in the format of `appreceipt audit --catalog`."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        root = json.loads(text.decode("utf-8-sig"))
        apps = root.get("apps")
        #: The apps in the catalog, or None if it names no apps.
        self.apps = None if apps is None else list(apps)
        self.groups: list[Group] = []
        for app, catalog in apps.items() if apps is not None else [(None, root)]:
            self.groups += [(app, product, group) for product, group in _groups(catalog)]

    @classmethod
    def given(cls, arguments: list[str] | None) -> Catalog | None:
        """Returns the catalog of FILE, or of APP=FILE arguments, one for each app. The text before the first = is the
        app, unless it contains a /.

        Raises ValueError if the arguments contradict each other.
        """
        if not arguments:
            return None
        scopes: dict[str, str] = {}
        for argument in arguments:
            app, sign, path = argument.partition("=")
            if not sign or "/" in app:
                if len(arguments) > 1:
                    raise ValueError("--catalog: several catalogs need one app each, --catalog APP=FILE")
                with open(argument, "rb") as file:
                    return cls(file.read())
            if not app or not path:
                raise ValueError(f"--catalog: {argument!r} is not APP=FILE; prefix a path that contains = with ./")
            if app in scopes:
                raise ValueError(f"--catalog: app {app} is given twice")
            with open(path, encoding="utf-8-sig") as text:
                scopes[app] = text.read()
            # The text must be a single JSON value. Otherwise it could add other apps.
            json.loads(scopes[app])
        members = (f"{json.dumps(app)}: {scopes[app]}" for app in sorted(scopes, key=str.encode))
        return cls(f'{{"apps": {{{", ".join(members)}}}}}'.encode())


def _groups(catalog: dict[str, Any]) -> list[tuple[str, str]]:
    plain = [(product, group) for group, products in catalog.get("groups", {}).items() for product in products]
    return plain + [
        (product["productID"], group["id"])
        for group in catalog.get("subscriptionGroups", []) for product in group.get("subscriptions", [])]
