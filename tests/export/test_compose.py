from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
EXPORT = Path(__file__).parents[2] / "export"


def service():
    file = yaml.safe_load((EXPORT / "compose.yaml").read_text())
    return file["services"]["translate"]


def test_ports_are_those_of_this_machine_alone():
    ports = service()["ports"]
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_version_of_the_server_is_pinned():
    name, _, version = service()["image"].partition(":")
    assert name == "tensorflow/serving"
    assert version[:1].isdigit()


def test_mounted_files_are_there():
    mounted = [v.split(":")[0] for v in service()["volumes"] if v.startswith("./")]
    assert mounted
    assert all((EXPORT / path).is_file() for path in mounted)
