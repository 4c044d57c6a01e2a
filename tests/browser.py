"""Pages in a browser, Debian's chromium."""

import html
import json
import os
import re
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium")
NEEDS_CHROMIUM = pytest.mark.skipif(
    not (CHROMIUM or os.environ.get("CI")),  # where it must be there
    reason="chromium is not installed",
)


def chromium(*arguments):
    """What the browser writes."""
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(address):
    """The elements of a page, after up to a minute of its own time."""
    return chromium("--virtual-time-budget=60000", "--dump-dom", address)


def written(address):
    """The JSON that a page has written between <pre> and </pre>."""
    return json.loads(html.unescape(re.search(r"<pre>(.*)</pre>", shown(address))[1]))
