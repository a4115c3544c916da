"""Files of deploy/ start a server."""

import pathlib
import re
import shutil
import subprocess
import time
import urllib.error

import grpc
import pytest
import yaml
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
from certificates import Authority
from ports import held_address
from processes import running
from test_metrics import get
from test_rights import bearer, create

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"


def settings(tmp_path, text):
    """A file with the paths and a free port of a test."""
    file = tmp_path / "torqued.toml"
    file.write_text(text.replace("/var/lib/torqued", str(tmp_path))
                    .replace("0.0.0.0:7421", "0.0.0.0:0"))
    return file


@pytest.mark.parametrize("flags", [(), ("--listen", "127.0.0.1:0")])
def test_the_image_says_how_to_go_on_and_checks_its_health(tmp_path, flags):
    file = settings(tmp_path, (DEPLOY / "container.toml").read_text())
    image = {"TORQUED_CONFIG": str(file),
             "TORQUED_STORE": str(tmp_path / "models.db")}
    if not flags:
        ended = harness.run_to_exit(environment=image)
        assert ended.returncode == 64
        for way in ("tls:", "--rights", "TORQUED_INSECURE=on"):
            assert way in ended.stdout
        create(tmp_path / "rights.toml", "cell", "evaluate", environment=image)
        ended = harness.run_to_exit("store", "check", environment=image)
        assert (ended.returncode, "No such file" in ended.stdout) == (1, True)
    image |= yaml.safe_load(
        (DEPLOY / "compose.yaml").read_text())["services"]["torqued"]["environment"]
    with running(harness.server_binary(), *flags,
                 env=harness.clean_environment(**image)):
        harness.until(lambda: harness.run_to_exit(
            "--health-check", environment=image).returncode == 0)


@pytest.mark.parametrize("file, form", [
    ("../Dockerfile", r"ARG VERSION=(\S+)"), ("debian/changelog", r"torqued \((\S+)\) .*")])
def test_image_and_packages_have_the_version(file, form):
    version = re.search(f"^{form}$", (DEPLOY / file).read_text(), re.M)[1]
    assert harness.run_to_exit("--version").stdout == f"torqued {version}\n"


def rendered(tmp_path):
    """What `kubectl apply -k` sends, with a model: kind to object."""
    folder = tmp_path / "kubernetes"
    shutil.copytree(DEPLOY / "kubernetes", folder)
    shutil.copy(harness.example_models() / "panda.urdf", folder)
    file = folder / "kustomization.yaml"
    text = file.read_text()
    # As its comment says.
    file.write_text(re.sub(r"# (- name: torqued-models|  files: \[panda)", r"\1",
                           text))
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    output = subprocess.run(
        ["kubectl", "kustomize", folder], check=True, timeout=60,
        stdout=subprocess.PIPE, text=True).stdout
    objects = list(yaml.safe_load_all(output))
    maps = {it["metadata"]["name"]: it["data"] for it in objects
            if it["kind"] == "ConfigMap"}
    return {it["kind"]: it for it in objects}, maps


def mounted(container, pod, maps, root):
    """Directories of the pod below `root`, as the kubelet makes them; mount paths."""
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    for mount in container["volumeMounts"]:
        folder = root / mount["mountPath"].lstrip("/")
        folder.mkdir(parents=True)
        volume = volumes.pop(mount["name"])
        if "configMap" in volume:
            for name, text in maps[volume["configMap"]["name"]].items():
                (folder / name).write_text(text)
        elif volume.get("secret", {}).get("secretName") == "torqued-tls":
            # The keys that `kubectl create secret tls` makes.
            for name, file in zip(("tls.crt", "tls.key"),
                                  Authority(root).issue("torqued")):
                shutil.copy(file, folder / name)
        elif "secret" in volume:
            assert volume["secret"]["secretName"] == "torqued-rights"
            yield create(folder / "rights.toml", "cell", "evaluate")
    assert not volumes


@pytest.mark.slow
def test_kubernetes_starts_a_server_that_answers_its_probes(tmp_path):
    kinds, maps = rendered(tmp_path)
    pod = kinds["Deployment"]["spec"]["template"]["spec"]
    container, = pod["containers"]
    root = tmp_path / "root"
    token, = mounted(container, pod, maps, root)
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert {port["targetPort"] for port in kinds["Service"]["spec"]["ports"]
            } == ports.keys()
    assert {port["port"] for rule in kinds["NetworkPolicy"]["spec"]["ingress"]
            for port in rule["ports"]} == set(ports.values())

    # As it is, it serves other machines.
    file = root / container["args"][-1].lstrip("/")
    assert harness.run_to_exit("--config", file, "--print-config").returncode == 0
    text = file.read_text().replace('"/', f'"{root}/')
    addresses = {name: held_address() for name in ports}
    for name, port in ports.items():
        assert f"0.0.0.0:{port}" in text
        text = text.replace(f"0.0.0.0:{port}", addresses[name])
    file.write_text(text)
    store = root / "var/lib/torqued/models.db"
    with running(harness.server_binary(), *container["args"][:-1], file,
                 "--store", store, env=harness.clean_environment()):
        for kind in ("livenessProbe", "readinessProbe"):
            probe = container[kind]["httpGet"]
            give_up = time.monotonic() + harness.START_SECONDS
            while True:
                assert time.monotonic() < give_up
                try:
                    if get(addresses[probe["port"]], probe["path"])[0] == 200:
                        break
                except urllib.error.URLError:
                    time.sleep(0.05)
        with harness.Client(
                f"tls:{addresses['grpc']}",
                ("grpc.ssl_target_name_override", "localhost"),
                credentials=grpc.ssl_channel_credentials(
                    (root / "ca.pem").read_bytes())) as client:
            listed = client.registry.ListModels(
                registry_pb.ListModelsRequest(), **bearer(token))
    assert [model.name for model in listed.models] == ["panda"]
