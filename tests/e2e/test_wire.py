"""How states and results travel: encodings, rows, inputs that a quantity reads, and
what a reply echoes. tests/conformance has the numbers of every quantity and option."""

import threading

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import (
    ALL_QUANTITIES, RESULT_ARRAYS, States, ask, compute, compute_request,
    everything_request, options, register, tip_wrench)
from harness import F32, F64, VALUES, array, begin, failure_of, same_bits, table


def everything(client, states, payload=F64, **choices):
    """All quantities of the seven-axis arm."""
    return client.dynamics.Compute(
        everything_request("panda", states, payload, **choices))


def test_the_shorthands_equal_compute_in_every_bit(client):
    s = States(7, 9)
    s.q[4, 2] = np.nan
    reply = everything(client, s)
    whole = reply.results
    common = {"model": "panda", "q": array(s.q)}
    wrench = tip_wrench(s.wrench)
    inverse = client.dynamics.InverseDynamics(pb.InverseDynamicsRequest(
        v=array(s.v), a=array(s.a), tip_wrench_on_environment=wrench,
        **common))
    mass = client.dynamics.MassMatrix(pb.MassMatrixRequest(**common))
    forward = client.dynamics.ForwardDynamics(pb.ForwardDynamicsRequest(
        v=array(s.v), tau=array(s.tau), tip_wrench_on_environment=wrench,
        **common))
    task = client.dynamics.OperationalSpace(pb.OperationalSpaceRequest(
        v=array(s.v),
        operational_space=pb.OperationalSpaceOptions(sigma_min=True), **common))
    assert inverse.tau == whole.tau
    assert mass.mass_matrix == whole.mass_matrix
    assert forward.a == whole.a
    assert getattr(task, "lambda") == getattr(whole, "lambda")
    assert task.eta == whole.eta
    assert task.rank == whole.rank
    assert same_bits(task.sigma_min, whole.sigma_min)
    assert task.rule == whole.rule
    for short in (inverse, mass, forward, task):
        assert (short.rows, short.rows_not_ok) == (9, 1)
        assert [s.message for s in short.row_status] == [
            s.message for s in reply.row_status]
        assert short.echo.revision == reply.echo.revision


def test_only_what_was_asked_for_is_present(client):
    s = States(7, 1)
    fields = {quantity: {pb.Quantity.Name(quantity)[9:].lower()}
              for quantity in ALL_QUANTITIES}
    fields |= {
        ask.INVERSE_DYNAMICS: {"tau"}, ask.FORWARD_DYNAMICS: {"a"},
        ask.BIAS_FORCES: {"bias"}, ask.FRAME_POSE: {"pose"},
        ask.OPERATIONAL_SPACE: {"lambda", "eta", "rank", "rule"},
        ask.GRAVITY_FORCES: {"gravity"}, ask.CORIOLIS_FORCES: {"coriolis"},
        ask.CHRISTOFFEL_SYMBOLS: {"christoffel"},
        ask.ENERGY: {"kinetic_energy", "potential_energy"},
        ask.CENTER_OF_MASS: {"center_of_mass", "center_of_mass_velocity"},
        ask.FRAME_ACCELERATION: {
            "frame_acceleration", "frame_acceleration_classical"},
        ask.INVERSE_DYNAMICS_DERIVATIVES: {"dtau_dq", "dtau_dv"},
        ask.FORWARD_DYNAMICS_DERIVATIVES: {"da_dq", "da_dv", "da_dtau"},
        ask.TASK_PROJECTION: {
            "mobility", "consistent_inverse", "null_space_projector"}}
    assert set(RESULT_ARRAYS) | {"rank", "rule"} == set().union(
        *fields.values())
    for quantity, expected in fields.items():
        reply = compute(client, "panda", [quantity], q=s.q, tau=s.tau)
        assert {field.name for field, _ in reply.results.ListFields()} == (
            expected)


def test_the_three_encodings_carry_the_same_numbers(client):
    s = States(7, 11)
    for field in vars(s).values():  # numbers that binary32 holds exactly
        field[:] = field.astype(np.float32)
    as_f64 = everything(client, s, F64)
    as_values = everything(client, s, VALUES)
    as_f32 = everything(client, s, F32)
    widened = everything(client, s, F32, encoding=F64)
    assert widened.results == as_f64.results
    for name in RESULT_ARRAYS:
        exact, plain, narrow = (
            getattr(reply.results, name)
            for reply in (as_f64, as_values, as_f32))
        # Without a wish, the reply is encoded as q is.
        assert [harness.encoding_of(a) for a in (exact, plain, narrow)] == [
            F64, VALUES, F32]
        assert exact.columns == plain.columns == narrow.columns
        assert same_bits(table(exact), table(plain))
        assert same_bits(table(exact).astype("<f4"), table(narrow))


def test_single_precision_is_asked_for_apart_from_the_encoding(client):
    s = States(7, 40)
    exact = everything(client, s)
    single = everything(client, s, precision=pb.PRECISION_SINGLE)
    assert exact.echo.precision == pb.PRECISION_DOUBLE
    assert single.echo.precision == pb.PRECISION_SINGLE
    assert single.echo.computed_precision == pb.PRECISION_SINGLE
    assert everything(
        client, s, precision=pb.PRECISION_DOUBLE).results == exact.results
    assert single.results.rank == exact.results.rank
    assert single.results.rule == exact.results.rule
    assert single.results.sigma_min == exact.results.sigma_min
    tau = (table(reply.results.tau) for reply in (single, exact))
    assert not same_bits(*tau)


@pytest.mark.parametrize("wish", [VALUES, F64, F32])
def test_the_reply_is_encoded_as_wished(client, wish):
    s = States(7, 3)
    for sent in (VALUES, F64, F32):
        results = everything(client, s, sent, encoding=wish).results
        assert {harness.encoding_of(getattr(results, name))
                for name in RESULT_ARRAYS} == {wish}


# Inputs beside q, and the quantities that do not read them.
WIDTHS = {"base_twist": 6, "base_acceleration": 6,
          "external_wrenches_on_robot": 6, "tip_wrench_on_environment": 6,
          "gravity": 3, "task_acceleration": 6, "null_space_torque": 7}
OF_POSITIONS = {
    ask.MASS_MATRIX, ask.FRAME_POSE, ask.JACOBIAN, ask.CORIOLIS_MATRIX,
    ask.CHRISTOFFEL_SYMBOLS, ask.MASS_MATRIX_RATE, ask.MASS_MATRIX_INVERSE,
    ask.MOMENTUM_MATRIX, ask.JACOBIAN_RATE, ask.TASK_PROJECTION}
UNDER_WRENCHES = {
    ask.INVERSE_DYNAMICS, ask.FORWARD_DYNAMICS, ask.JOINT_WRENCHES,
    ask.BASE_WRENCH, ask.INVERSE_DYNAMICS_DERIVATIVES,
    ask.FORWARD_DYNAMICS_DERIVATIVES, ask.FORWARD_FRAME_ACCELERATION,
    ask.TASK_TORQUE, ask.POWER_BALANCE}


def is_read(name, quantity):
    if name in ("task_acceleration", "null_space_torque"):
        return quantity == ask.TASK_TORQUE
    if "wrench" in name:
        return quantity in UNDER_WRENCHES
    if name.startswith("base"):
        return quantity not in OF_POSITIONS | {ask.GRAVITY_FORCES}
    return quantity not in OF_POSITIONS | {
        ask.CORIOLIS_FORCES, ask.CENTER_OF_MASS, ask.MOMENTUM, ask.LINK_TWISTS,
        ask.LINK_ACCELERATIONS, ask.FRAME_VELOCITY, ask.FRAME_ACCELERATION,
        ask.JACOBIAN_DRIFT}


@pytest.mark.parametrize("name", WIDTHS)
def test_an_input_changes_what_reads_it_and_is_refused_elsewhere(client, name):
    s = States(7, 2)
    given = np.random.default_rng(5).uniform(-3, 3, (2, WIDTHS[name]))
    for quantity in ALL_QUANTITIES:
        plain = compute_request(
            "panda", [quantity], q=s.q, v=s.v, a=s.a, tau=s.tau,
            options=options(external_wrenches=[
                pb.WrenchPlace(frame="panda_link3")]))
        full = pb.ComputeRequest()
        full.CopyFrom(plain)
        if name == "tip_wrench_on_environment":
            full.tip_wrench_on_environment.CopyFrom(tip_wrench(given))
        else:
            getattr(full, name).CopyFrom(array(given))
        if is_read(name, quantity):
            replies = [client.dynamics.Compute(r) for r in (plain, full)]
            assert [reply.rows_not_ok for reply in replies] == [0, 0]
            # Velocities do not depend on an acceleration.
            same = name == "base_acceleration" and quantity in (
                ask.ENERGY, ask.CENTER_OF_MASS, ask.MOMENTUM, ask.LINK_TWISTS,
                ask.FRAME_VELOCITY)
            assert (replies[0].results == replies[1].results) == same, quantity
        else:
            failure = failure_of(client.dynamics.Compute, full)
            assert (failure.reason, failure.fields) == (
                "INVALID_OPTION", [name]), pb.Quantity.Name(quantity)


@pytest.mark.parametrize("quantity, most", [
    (ask.CHRISTOFFEL_SYMBOLS, 100), (ask.REGRESSOR, 256)])
def test_what_grows_fast_is_refused_of_many_joints(client, quantity, most):
    for joints in (most, most + 1):
        register(client, f"snake{joints}", robots.chain(joints))

    def request(joints, rows=1):
        return compute_request(
            f"snake{joints}", [quantity], q=np.zeros((rows, joints)))

    failure = failure_of(client.dynamics.Compute, request(most + 1))
    assert (failure.reason, failure.fields) == ("INVALID_OPTION", ["quantities"])
    assert str(most) in failure.violations[0][1]
    assert client.dynamics.Compute(request(most)).rows == 1
    failure = failure_of(client.dynamics.Compute, request(most, 20))
    assert failure.reason == "REQUEST_TOO_LARGE"


@pytest.fixture(scope="module")
def one_thread(tmp_path_factory):
    """Another server, with one thread and the same models."""
    with harness.Server(tmp_path_factory.mktemp("one_thread"), "--threads", 1,
                        models=harness.example_models()) as server:
        with harness.Client(server.address) as connection:
            yield connection


def test_a_row_is_the_same_in_every_batch_and_with_any_threads(
        client, one_thread):
    s = States(7, 5000)
    # Rows that take other paths than their neighbours: angles of many turns,
    # a singular pose, an input that is not a number, an overflow.
    s.q[3, 1] = 1e9
    s.q[4, :] = -1e300
    s.q[6, :] = 0
    s.q[9, 5] = np.nan
    s.v[10, :] = 1e200

    def batch(connection, rows):
        part = s.rows(rows)
        reply = everything(connection, part)
        assert reply.rows == len(part.q)
        results = reply.results
        return {
            **{name: table(getattr(results, name)) for name in RESULT_ARRAYS},
            "rank": np.array(results.rank),
            "sigma_min": np.array(results.sigma_min),
            "rule": np.array(results.rule)}

    # 5000 rows of everything would exceed the message limit.
    parts = [batch(client, slice(k, k + 1000)) for k in range(0, 5000, 1000)]
    largest = {name: np.concatenate([part[name] for part in parts])
               for name in parts[0]}
    sample = [*range(12), *np.random.default_rng(5).integers(0, 5000, 40),
              4999]
    cases = [(client, slice(k, k + 1)) for k in sample]
    cases += [(client, slice(k, k + 7)) for k in (0, 1, 5, 991, 4993)]
    cases += [(client, slice(0, 1000)), (client, slice(1234, 2234)),
              (one_thread, slice(0, 1)), (one_thread, slice(100, 1100))]
    for connection, rows in cases:
        for name, numbers in batch(connection, rows).items():
            assert same_bits(numbers, largest[name][rows]), (name, rows)


def test_answers_have_the_same_bits_beside_other_calls_and_cancelled_ones(client):
    s = States(7, 1500)

    def request(rows):
        part = s.rows(rows)
        return compute_request("panda", [ask.FORWARD_DYNAMICS], q=part.q,
                               v=part.v, tau=part.tau)

    wanted = table(client.dynamics.Compute(request(slice(None))).results.a)
    wrong = []

    def call(seed):
        random = np.random.default_rng(seed)
        for _ in range(150):
            first = random.integers(1500)
            rows = slice(first, first + random.choice([1, 40, 1500]))
            pending = begin(client.dynamics.Compute, request(rows))
            if random.integers(4) == 0:
                pending.cancel()
            elif not same_bits(table(pending.result().results.a), wanted[rows]):
                wrong.append(rows)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- Echo --------------------------------------------------------------------


def test_the_echo_says_what_the_numbers_refer_to(client):
    info = client.registry.GetModel(
        registry_pb.GetModelRequest(model="panda")).model
    reply = everything(client, States(7, 1000, seed=1))
    echo = reply.echo
    assert echo.model == "panda"
    assert echo.revision == info.revision
    assert list(echo.joint_names) == [joint.name for joint in info.joints]
    assert list(echo.terms.gravity) == list(info.gravity) == [0, 0, -9.81]
    assert echo.tip_frame == info.tip_frame == "panda_link8"
    assert echo.reference_frame == pb.REFERENCE_FRAME_LOCAL
    task = echo.operational_space
    assert list(task.axes) == [1, 2, 3, 4, 5, 6]
    assert task.singularity == pb.SINGULARITY_RULE_REPORT
    assert task.rank_tolerance == 1e-6
    assert task.characteristic_length == 1
    assert echo.target
    assert echo.server_version.count(".") == 2
    assert echo.timing.queue.ToNanoseconds() >= 0
    assert echo.timing.compute.ToNanoseconds() > 0


def test_the_echo_names_a_frame_only_where_one_is_used(client):
    def echo(quantities, **fields):
        return compute(client, "planar_2r", quantities, q=np.zeros((1, 2)),
                       **fields).echo

    plain = echo([ask.INVERSE_DYNAMICS])
    assert plain.tip_frame == ""
    assert not plain.HasField("operational_space")
    assert echo([ask.FRAME_POSE]).tip_frame == "tip"
    loaded = echo([ask.INVERSE_DYNAMICS],
                  tip_wrench_on_environment=tip_wrench([0] * 6))
    assert loaded.tip_frame == "tip"


def test_the_echo_of_a_bare_revision_has_no_name(client):
    info = client.registry.GetModel(
        registry_pb.GetModelRequest(model="ur5e")).model
    q = np.zeros((1, 6))
    bare = compute(client, "@" + info.revision, [ask.MASS_MATRIX], q=q)
    assert bare.echo.model == ""
    assert bare.echo.revision == info.revision
    named = compute(
        client, "ur5e@" + info.revision[:8], [ask.MASS_MATRIX], q=q)
    assert named.echo.model == "ur5e"
    assert named.echo.revision == info.revision
    assert named.results == bare.results
