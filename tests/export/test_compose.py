"""The compose files; the server's image itself is not run."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
EXPORT = Path(__file__).parents[2] / "export"
FILES = ["compose.yaml", "compose.canary.yaml"]


def service(file="compose.yaml"):
    return yaml.safe_load((EXPORT / file).read_text())["services"]["translate"]


def mounted():
    """The server's path of each file and folder that is mounted: where it is here."""
    volumes = [volume for file in FILES for volume in service(file)["volumes"]]
    assert all(volume.endswith(":ro") for volume in volumes)
    return {path: here for here, path, _ in (v.rsplit(":", 2) for v in volumes)}


def test_ports_are_those_of_this_machine_alone():
    ports = service()["ports"]
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert "ports" not in service("compose.canary.yaml")


def test_the_server_is_of_the_tensorflow_that_writes_exports():
    name, _, tag = service()["image"].partition(":")
    assert name == "tensorflow/serving"
    assert tag.count(".") == 2
    assert tag.split(".")[:2] == version("tensorflow").split(".")[:2]


def test_mounted_files_are_there():
    files = [here for here in mounted().values() if here.startswith("./")]
    assert len(files) == 2
    assert all((EXPORT / path).is_file() for path in files)
    # What is edited while the server runs, in its folder: a file that an editor
    # replaces would be another one than the mounted.
    assert mounted()["/labels"] == "."


@pytest.mark.parametrize("file", FILES)
def test_files_that_the_server_reads_are_mounted(file):
    flags = [flag.removeprefix("--").split("=") for flag in service(file)["command"]]
    files = [value for name, value in flags if name.endswith("_file")]
    assert len(files) == FILES.index(file) + 2
    for path in map(Path, files):
        folder = mounted().get(str(path.parent))
        assert str(path) in mounted() or (EXPORT / folder / path.name).is_file()


def test_it_is_not_root_and_can_write_nowhere():
    assert service()["user"] == "65534:65534" and service()["read_only"] is True
    assert service()["cap_drop"] == ["ALL"] and service()["tmpfs"] == ["/tmp"]


def test_two_versions_start_with_their_labels():
    """Without the flag the server refuses labels of versions not loaded yet."""
    flags = service("compose.canary.yaml")["command"]
    assert "--allow_version_labels_for_unavailable_models=true" in flags
    assert set(service()["command"]) <= set(flags)


@pytest.mark.parametrize("file", FILES)
def test_the_command_in_its_comment_names_it(file):
    first = re.search(r"^# (.*docker compose .*)$", (EXPORT / file).read_text(), re.M)
    named = re.findall(r"-f export/(\S+)", first[1])
    assert named == FILES[: FILES.index(file) + 1]
