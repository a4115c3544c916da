"""Lists of models cost little, whatever the models are."""

import concurrent.futures

from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import register

MODELS = 30
JOINTS = 500
LISTS = 20


def test_lists_parse_no_model(start, tmp_path):
    store = tmp_path / "models.db"
    server = start(store=store)
    with harness.Client(server.address) as client:
        for k in range(MODELS):
            register(client, f"chain-{k}", robots.chain(JOINTS, f"chain{k}"))
    assert server.stop() == 0

    server = start(store=store)
    with harness.Client(server.address) as client, \
            concurrent.futures.ThreadPoolExecutor(LISTS) as pool:
        def listed(_):
            return client.registry.ListModels(
                registry_pb.ListModelsRequest(page_size=MODELS)).models

        before = server.cpu_seconds()
        for models in pool.map(listed, range(LISTS)):
            assert [model.nv for model in models] == MODELS * [JOINTS]
        listing = server.cpu_seconds() - before
        for model in models:
            client.registry.GetModel(
                registry_pb.GetModelRequest(model=model.name))
        parsing = server.cpu_seconds() - before - listing
    assert listing < parsing, (listing, parsing)
