"""Vectors and matrices of many states, [state, ...], and how near they are."""

import numpy as np


def product(matrix, vector):
    return (matrix @ vector[..., None])[..., 0]


def dot(a, b):
    return (a * b).sum(axis=-1)


def transposed(matrix):
    return np.swapaxes(matrix, -1, -2)


def skew(w):
    """The matrix that takes the cross product with w."""
    x, y, z = np.moveaxis(w, -1, 0)
    zero = np.zeros_like(x)
    return np.stack([np.stack(row, axis=-1) for row in (
        (zero, -z, y), (z, zero, -x), (-y, x, zero))], axis=-2)


def adjoint(R, p):
    """Of a pose: takes the twists (angular; linear) of its frame out of it."""
    return np.concatenate([
        np.concatenate([R, np.zeros_like(R)], axis=-1),
        np.concatenate([skew(p) @ R, R], axis=-1)], axis=-2)


def close(actual, expected, relative=1e-12):
    """Within so much, which may differ from state to state, of the largest
    number of each state."""
    assert actual.shape == expected.shape
    over = tuple(range(1, expected.ndim))
    size = np.maximum(np.abs(expected).max(axis=over), 1e-300)
    error = np.abs(actual - expected).max(axis=over) / size
    assert (error <= relative).all(), error.max()


def far(actual, expected):
    """Of twins: not nearly the same, in any state."""
    over = tuple(range(1, expected.ndim))
    size = np.abs(expected).max(axis=over)
    assert (np.abs(actual - expected).max(axis=over) > 1e-3 * size).all()
