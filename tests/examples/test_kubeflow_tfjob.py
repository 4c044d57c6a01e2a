"""The TFJob manifest: what is Kubernetes' by its schema, what is Kubeflow's by hand."""

import dataclasses
import json
from pathlib import Path

import pytest

import neural_gpu_tf
from neural_gpu_tf.bin.train_options import TrainOptions
from neural_gpu_tf.training.ends import WorkerLost
from neural_gpu_tf.training.tf_config import read_cluster

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
kubernetes_validate = pytest.importorskip(
    "kubernetes_validate", reason="kubernetes-validate is not installed"
)
PATH = Path(neural_gpu_tf.__file__).parents[1] / "examples" / "kubeflow_tfjob.yaml"
JOB = yaml.safe_load(PATH.read_text("utf-8"))
SPEC = JOB["spec"]
# As in the CustomResourceDefinition of kubeflow.org/v1.
OF_SPEC = {"enableDynamicWorker", "runPolicy", "successPolicy", "tfReplicaSpecs"}
OF_RUN_POLICY = {
    *("activeDeadlineSeconds", "backoffLimit", "cleanPodPolicy", "schedulingPolicy"),
    *("suspend", "ttlSecondsAfterFinished"),
}
OF_REPLICAS = {"replicas", "restartPolicy", "template"}


def container():
    [one] = SPEC["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    return one


def test_the_keys_are_those_of_a_tfjob():
    assert (JOB["apiVersion"], JOB["kind"]) == ("kubeflow.org/v1", "TFJob")
    assert {*JOB} == {"apiVersion", "kind", "metadata", "spec"}
    assert {*SPEC} <= OF_SPEC
    assert {*SPEC["runPolicy"]} <= OF_RUN_POLICY
    assert SPEC["runPolicy"]["cleanPodPolicy"] in ("All", "Running", "None")
    assert {*SPEC["tfReplicaSpecs"]} == {"Worker"}
    assert {*SPEC["tfReplicaSpecs"]["Worker"]} == OF_REPLICAS


@pytest.mark.parametrize("version", ["1.34", "1.37"])
def test_the_pods_schema_holds(version):
    template = SPEC["tfReplicaSpecs"]["Worker"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}} | {
        "spec": template["spec"]
    }
    pod["metadata"] |= template["metadata"]
    kubernetes_validate.validate(pod, version, strict=True)


def test_a_lost_worker_starts_anew_and_wrong_flags_do_not():
    assert SPEC["tfReplicaSpecs"]["Worker"]["restartPolicy"] == "ExitCode"
    assert WorkerLost.status >= 128 > 2  # from 128 on the operator starts it again


def test_the_operator_finds_container_and_port():
    assert container()["name"] == "tensorflow"
    ports = {port["name"]: port["containerPort"] for port in container()["ports"]}
    assert ports == {"tfjob-port": 2222}


def test_what_the_operator_sets_is_taken(monkeypatch):
    name, count = JOB["metadata"]["name"], SPEC["tfReplicaSpecs"]["Worker"]["replicas"]
    hosts = [f"{name}-worker-{index}.default.svc:2222" for index in range(count)]
    for index in range(count):
        values = {
            "cluster": {"worker": hosts},
            "task": {"type": "worker", "index": index},
            "environment": "cloud",
        }
        monkeypatch.setenv("TF_CONFIG", json.dumps(values))
        tasks, own = read_cluster()
        assert own == index and tasks[own].host == hosts[index].partition(":")[0]


def test_flags_and_experiment_are_there():
    assert container()["command"] == ["neural-gpu-train"]
    given = dict(arg.removeprefix("--").split("=") for arg in container()["args"])
    assert given["distribution"] == "multi_worker"
    options = TrainOptions.__annotations__.values()
    known = {field.name for cls in options for field in dataclasses.fields(cls)}
    assert {*given} <= {*known, "config", "run_dir"}
    configs = PATH.parents[1] / "configs"
    assert (configs / f"{given['config']}.flags").exists()


def test_what_is_written_to_is_mounted_to_be_written():
    spec = SPEC["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    volumes = {volume["name"] for volume in spec["volumes"]}
    mounts = container()["volumeMounts"]
    assert {mount["name"] for mount in mounts} == volumes
    writable = {mount["mountPath"] for mount in mounts if not mount.get("readOnly")}
    assert writable == {"/runs", "/tmp"}
    run_dir = next(arg for arg in container()["args"] if "--run_dir=" in arg)
    assert run_dir.startswith("--run_dir=/runs/")
