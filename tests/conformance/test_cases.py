"""cases.json is what make_cases.py writes, and leaves nothing out."""

import json
import pathlib

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import errors_pb2

import lagrange
import make_cases
from robots import model
from tree import Real

# Of numbers that another machine's libraries may round otherwise.
TOLERANCE = 1e-13
# What no client can bring about by itself: it takes load, a limit, a store that
# fails, or a malformed array, which clients do not send. Samples are those of
# trajectories, which no case has.
UNREACHABLE = {
    "REASON_UNSPECIFIED", "AMBIGUOUS_REVISION", "MODEL_BROKEN",
    "MALFORMED_ARRAY", "INVALID_SAMPLE", "REQUEST_TOO_LARGE", "OVERLOADED",
    "QUOTA_REACHED", "DRAINING", "STORE_UNAVAILABLE", "INTERNAL_ERROR"}

COMMITTED = json.loads(
    (pathlib.Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))
CASES = COMMITTED["cases"]


def same(a, b, where=""):
    """Equal, but for the rounding of numbers within a row."""
    assert type(a) is type(b) or {type(a), type(b)} <= {int, float}, where
    if isinstance(a, dict):
        assert a.keys() == b.keys(), where
        for key in a:
            same(a[key], b[key], f"{where}.{key}")
    elif isinstance(a, list):
        assert len(a) == len(b), where
        if a and all(isinstance(x, (int, float)) for x in a + b):
            apart = np.abs(np.subtract(a, b)).max()
            assert apart <= TOLERANCE * max(1, *map(abs, a)), where
        else:
            for index, (x, y) in enumerate(zip(a, b)):
                same(x, y, f"{where}[{index}]")
    else:
        assert a == b, where


def test_the_file_is_what_is_made():
    same(COMMITTED, json.loads(json.dumps(make_cases.cases())))


def test_it_is_laid_out_as_it_is_written():
    path = pathlib.Path(make_cases.__file__).with_name("cases.json")
    assert make_cases.text_of(COMMITTED) + "\n" == path.read_text(
        encoding="utf-8")


def test_a_number_that_was_changed_is_found():
    changed = json.loads(json.dumps(COMMITTED))
    changed["cases"][0]["expect"]["results"]["tau"][0][1] += 1e-11
    with pytest.raises(AssertionError, match="tau"):
        same(COMMITTED, changed)


def names(wire, prefix):
    return {name.removeprefix(prefix) for name, number in wire.items()
            if number}


def answered():
    return [case for case in CASES if "results" in case["expect"]]


def keys(field):
    return {key for case in answered() for key in case.get(field, {})}


def values(field, key):
    return {case[field][key] for case in answered()
            if key in case.get(field, {})}


def test_every_quantity_and_result_has_a_case():
    quantities = {q for case in answered() for q in case["quantities"]}
    assert quantities == names(pb.Quantity, "QUANTITY_")
    results = {name for case in answered()
               for name in case["expect"]["results"]}
    assert results == {field.name for field in pb.Results.DESCRIPTOR.fields}


def test_every_input_has_a_case():
    inputs = {field.name for field in pb.EvaluateChunk.DESCRIPTOR.fields}
    assert keys("states") == inputs


def test_every_option_has_a_case():
    # How numbers travel is each client's own choice.
    options = {field.name for field in pb.Options.DESCRIPTOR.fields}
    assert keys("options") == options - {"encoding"}
    terms = {key for case in answered()
             for key in case.get("options", {}).get("terms", {})}
    assert terms == {field.name for field in pb.Terms.DESCRIPTOR.fields}
    payload = {key for case in answered()
               for key in case.get("options", {}).get("payload", {})}
    assert payload == {field.name for field in pb.Payload.DESCRIPTOR.fields}
    task = {field.name for field
            in pb.OperationalSpaceOptions.DESCRIPTOR.fields}
    assert keys("operational_space") == task


def test_every_choice_has_a_case():
    frames = names(pb.ReferenceFrame, "REFERENCE_FRAME_")
    assert values("options", "reference_frame") == frames
    assert {case["tip_wrench_reference_frame"] for case in answered()
            if "tip_wrench_reference_frame" in case} == frames
    assert {place["reference_frame"] for case in answered()
            for place in case.get("options", {}).get("external_wrenches", [])
            if "reference_frame" in place} == frames
    axes = {axis for case in answered()
            for axis in case.get("operational_space", {}).get("axes", [])}
    assert {"ANGULAR_X", "ANGULAR_Z", "LINEAR_X", "LINEAR_Y",
            "LINEAR_Z"} <= axes
    rules = {rule for case in answered()
             for rule in case["expect"]["results"].get("rule", [])}
    assert rules == {"FULL_RANK", "RANGE_RESTRICTED", "DAMPED"}
    codes = {status["code"] for case in answered()
             for status in case["expect"].get("row_status", [])}
    assert codes == names(pb.RowCode, "ROW_CODE_")


def test_every_reason_that_a_client_reaches_has_a_case():
    reasons = {case["expect"]["error"]["reason"] for case in CASES
               if "error" in case["expect"]}
    assert reasons == set(errors_pb2.Reason.keys()) - UNREACHABLE


def test_names_are_unique():
    listed = [case["name"] for case in CASES]
    assert len(set(listed)) == len(listed) >= 100


# --- The method that the numbers come from -----------------------------------


def test_the_planar_arm_has_its_closed_form():
    tree = model("planar_2r")
    q, v, a = (np.array(x, Real) for x in ((0.3, 0.8), (1.1, -0.7), (2, 3)))
    state = lagrange.State(tree, q, v, a, lagrange.Surroundings(
        gravity=np.array([0, Real("-9.81"), 0])))
    l1, l2, m1, m2, g = 0.5, Real("0.4"), 2, 1.5, Real("9.81")
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    M = np.array([
        [(m1 + m2) * l1**2 + m2 * (2 * l1 * l2 * c2 + l2**2),
         m2 * (l1 * l2 * c2 + l2**2)],
        [m2 * (l1 * l2 * c2 + l2**2), m2 * l2**2]])
    c = m2 * l1 * l2 * s2 * np.array(
        [-(2 * v[0] * v[1] + v[1]**2), v[0]**2])
    g1 = m2 * g * l2 * np.cos(q[0] + q[1])
    weight = np.array([(m1 + m2) * g * l1 * np.cos(q[0]) + g1, g1])
    assert np.allclose(state.mass_matrix(), M, rtol=0, atol=1e-17)
    assert np.allclose(state.inverse_dynamics(), M @ a + c + weight, rtol=0,
                       atol=1e-16)


def test_torques_are_those_of_the_energies():
    """d/dt dK/dv - dK/dq + dP/dq by central differences."""
    tree = model("gantry")
    random = np.random.default_rng(1)
    q, v, a = (x.astype(Real) for x in random.uniform(-1, 1, (3, 4)))
    around = lagrange.Surroundings()
    small = Real(1e-6)

    def at(q, v):
        return lagrange.State(tree, q, v, np.zeros(4, Real), around)

    def gradient(function, x, h):
        return np.array([(function(x + step) - function(x - step)) / (2 * h)
                         for step in h * np.eye(4, dtype=Real)])

    def momentum(time):
        now = q + v * time + a * time**2 / 2, v + a * time
        # Quadratic in v, so any step is exact.
        return gradient(
            lambda rate: at(now[0], rate).kinetic_energy(), now[1], Real(1))

    rate = (momentum(small) - momentum(-small)) / (2 * small)
    force = rate - gradient(lambda x: at(x, v).kinetic_energy()
                            - at(x, v).potential_energy(), q, small)
    tau = lagrange.State(tree, q, v, a, around).inverse_dynamics()
    assert np.abs(tau - force).max() < 1e-10


def test_derivatives_are_those_of_the_torques():
    tree = model("gantry")
    random = np.random.default_rng(2)
    q, v, a, twist = (x.astype(Real) for x in random.uniform(-1, 1, (4, 4)))
    around = lagrange.Surroundings(
        base_twist=np.resize(twist, 6),
        tip=lagrange.Wrench("hook_tip", "WORLD", np.arange(1, 7, dtype=Real)))

    def torque(q, v):
        return lagrange.State(tree, q, v, a, around).inverse_dynamics()

    state, h = lagrange.State(tree, q, v, a, around), Real(1e-6)
    for k, step in enumerate(h * np.eye(4, dtype=Real)):
        by_q = (torque(q + step, v) - torque(q - step, v)) / (2 * h)
        by_v = (torque(q, v + step) - torque(q, v - step)) / (2 * h)
        assert np.abs(state.torque_by_position()[:, k] - by_q).max() < 1e-9
        assert np.abs(state.torque_by_velocity()[:, k] - by_v).max() < 1e-9
