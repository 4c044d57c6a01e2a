"""Provenance of a start: command, package versions, git revision."""

import datetime
import importlib.metadata
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PACKAGES = ("neural-gpu-tf", "tensorflow", "keras", "tensorflow-text", "numpy")


def provenance(command: Sequence[str]) -> dict[str, Any]:
    """Time, command, versions of Python and packages, git revision; for JSON."""
    return {
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": list(command),
        "python": sys.version.split()[0],
        "packages": {name: _version(name) for name in PACKAGES},
        "git": _git_revision(),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _git_revision() -> str | None:
    """The commit of the checkout that the package lies in, "+" if it was changed."""
    where = Path(__file__).parent

    def git(*arguments: str) -> Any:
        return subprocess.run(
            ["git", *arguments],
            cwd=where,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",  # its messages are in the locale's encoding
        )

    try:
        tracked = git("ls-files", "--error-unmatch", Path(__file__).name)
        if tracked.returncode:  # installed within a checkout of something else, say
            return None
        revision = git("rev-parse", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=no").stdout.strip()
    except OSError:
        return None
    return revision.stdout.strip() + ("+" if changed else "")
