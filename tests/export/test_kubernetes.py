"""The Kubernetes manifests, checked by the schemas of its API."""

import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
kubernetes_validate = pytest.importorskip(
    "kubernetes_validate", reason="kubernetes-validate is not installed"
)
EXPORT = Path(__file__).parents[2] / "export"
VERSIONS = ["1.34", "1.37"]  # `sleep` before the end is in all of them


def load(path):
    return yaml.safe_load((EXPORT / path).read_text())


def manifests():
    """The manifests that `kubectl apply -k export` takes, by kind."""
    found = [load(path) for path in load("kustomization.yaml")["resources"]]
    return {manifest["kind"]: manifest for manifest in found}


def pod():
    return manifests()["Deployment"]["spec"]["template"]


def server():
    [container] = pod()["spec"]["containers"]
    return container


def flags():
    return dict(flag.removeprefix("--").split("=", 1) for flag in server()["args"])


def test_all_files_are_applied():
    there = {f"kubernetes/{path.name}" for path in (EXPORT / "kubernetes").iterdir()}
    assert there == set(load("kustomization.yaml")["resources"])
    assert len(manifests()) == len(there)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", manifests())
def test_schemas_of_the_api_hold(kind, version):
    kubernetes_validate.validate(manifests()[kind], version, strict=True)


def test_the_server_is_of_the_version_in_compose():
    compose = load("compose.yaml")["services"]["translate"]
    assert server()["image"] == compose["image"]


def test_nothing_in_the_container_can_be_written_but_tmp():
    context = server()["securityContext"]
    assert context["readOnlyRootFilesystem"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert pod()["spec"]["securityContext"]["runAsNonRoot"] is True
    assert pod()["spec"]["automountServiceAccountToken"] is False
    mounts = server()["volumeMounts"]
    writable = [mount["mountPath"] for mount in mounts if not mount.get("readOnly")]
    assert writable == ["/tmp"]


def test_probes_ask_ports_and_models_that_the_server_has():
    ports = {port["name"]: port["containerPort"] for port in server()["ports"]}
    assert ports == {
        "grpc": int(flags()["port"]),
        "rest": int(flags()["rest_api_port"]),
    }
    model = {"path": f"/v1/models/{flags()['model_name']}", "port": "rest"}
    assert server()["startupProbe"]["httpGet"] == model
    assert server()["readinessProbe"]["tcpSocket"] == {"port": "rest"}
    assert server()["livenessProbe"]["tcpSocket"] == {"port": "grpc"}
    start = server()["startupProbe"]
    assert start["periodSeconds"] * start["failureThreshold"] >= 300


def test_flags_name_what_is_mounted():
    mounts = {mount["name"]: mount["mountPath"] for mount in server()["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod()["spec"]["volumes"]}
    assert mounts.keys() == volumes.keys()
    [made] = load("kustomization.yaml")["configMapGenerator"]
    assert volumes["config"]["configMap"]["name"] == made["name"]
    claim = volumes["export"]["persistentVolumeClaim"]["claimName"]
    assert claim == manifests()["PersistentVolumeClaim"]["metadata"]["name"]
    assert flags()["model_base_path"] == mounts["export"]
    files = [value for name, value in flags().items() if name.endswith("_file")]
    assert files == [f"{mounts['config']}/{name}" for name in made["files"]]
    assert all((EXPORT / name).is_file() for name in made["files"])


def test_all_speak_of_the_same_pods():
    found = manifests()
    labels = pod()["metadata"]["labels"]
    assert found["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert found["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert found["Service"]["spec"]["selector"] == labels
    ports = {port["targetPort"] for port in found["Service"]["spec"]["ports"]}
    assert ports == {port["name"] for port in server()["ports"]}


def test_the_autoscaler_alone_sets_the_number_of_servers():
    found = manifests()
    assert "replicas" not in found["Deployment"]["spec"]
    target = found["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
    assert target == {
        "apiVersion": found["Deployment"]["apiVersion"],
        "kind": "Deployment",
        "name": found["Deployment"]["metadata"]["name"],
    }
    # Its target is a share of what is requested.
    assert server()["resources"]["requests"]["cpu"]
    spec = found["HorizontalPodAutoscaler"]["spec"]
    assert 1 < spec["minReplicas"] < spec["maxReplicas"]


def test_requests_end_before_the_server_is_killed():
    seconds = int(flags()["rest_api_timeout_in_ms"]) / 1000
    wait = server()["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert pod()["spec"]["terminationGracePeriodSeconds"] >= seconds + wait
    age, grace = (
        int(one.split("=")[1]) / 1000
        for one in flags()["grpc_channel_arguments"].split(",")
    )
    assert age < wait and grace >= seconds


def test_a_full_batch_has_a_thread_for_each_request():
    [most] = re.findall(
        r"max_batch_size { value: (\d+) }", (EXPORT / "batching.config").read_text()
    )
    assert int(flags()["rest_api_num_threads"]) >= 2 * int(most)
    for file in ("compose.yaml", "compose.canary.yaml"):
        told = load(file)["services"]["translate"]["command"]
        assert f"--rest_api_num_threads={flags()['rest_api_num_threads']}" in told


def test_threads_are_as_many_as_processors():
    processors = server()["resources"]["limits"]["cpu"]
    assert flags()["tensorflow_inter_op_parallelism"] == processors
    assert flags()["tensorflow_intra_op_parallelism"] == "1"


def test_prometheus_finds_the_metrics():
    notes = pod()["metadata"]["annotations"]
    assert notes["prometheus.io/port"] == flags()["rest_api_port"]
    assert f'"{notes["prometheus.io/path"]}"' in (
        EXPORT / "monitoring.config"
    ).read_text("utf-8")


def test_a_misspelt_field_would_be_seen():
    deployment = manifests()["Deployment"]
    deployment["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, VERSIONS[-1], strict=True)
