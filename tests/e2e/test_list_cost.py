"""Lists of models cost little, whatever the models are."""

import concurrent.futures

from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import register

# To parse them all takes some 0.3 s.
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

    # What was parsed for the registrations is gone.
    server = start(store=store)
    with harness.Client(server.address) as client, \
            concurrent.futures.ThreadPoolExecutor(LISTS) as pool:
        def listed(_):
            return client.registry.ListModels(
                registry_pb.ListModelsRequest(page_size=MODELS)).models

        before = server.cpu_seconds()
        for models in pool.map(listed, range(LISTS)):
            assert [model.nv for model in models] == MODELS * [JOINTS]
        assert server.cpu_seconds() - before < 1.0
