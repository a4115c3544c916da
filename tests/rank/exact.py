"""Arithmetic with 60 digits: trigonometry, and eigenvalues of small symmetric
matrices. Computed with more."""

import decimal
from decimal import Decimal

DIGITS = 60
decimal.getcontext().prec = DIGITS + 15
# Series end where a term no longer counts.
_LEAST = Decimal(10) ** -(DIGITS + 12)


def _series(x, term, first):
    """Sum of term, − term x²/((k + 1)(k + 2)), ... from k = first."""
    total, k = term, first
    while abs(term) > _LEAST or k < abs(x):
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def cos_sin(x):
    return _series(x, Decimal(1), 0), _series(x, x, 1)


def singular_values(rows):
    """Of a matrix given by up to six rows, falling, with the left singular
    vectors: [(sigma, vector)]. Cyclic Jacobi on the Gram matrix, which halves
    the digits."""
    m = len(rows)
    gram = [[sum((a * b for a, b in zip(x, y)), Decimal(0)) for y in rows]
            for x in rows]
    vectors = [[Decimal(int(i == j)) for j in range(m)] for i in range(m)]
    size = max(gram[i][i] for i in range(m))
    for _ in range(60):
        off = max((abs(gram[i][j]) for i in range(m) for j in range(i)),
                  default=Decimal(0))
        if off <= size * Decimal(10) ** -(DIGITS + 5):
            break
        for i in range(m):
            for j in range(i + 1, m):
                _rotate(gram, vectors, i, j)
    pairs = [(max(gram[k][k], Decimal(0)).sqrt(),
              [vectors[i][k] for i in range(m)]) for k in range(m)]
    return sorted(pairs, key=lambda pair: -pair[0])


def _rotate(gram, vectors, i, j):
    """Makes gram[i][j] zero."""
    if not gram[i][j]:
        return
    zeta = (gram[j][j] - gram[i][i]) / (2 * gram[i][j])
    t = 1 / (abs(zeta) + (1 + zeta * zeta).sqrt())
    t = t.copy_sign(zeta)
    c = 1 / (1 + t * t).sqrt()
    s = c * t
    m = len(gram)
    for k in range(m):
        gram[k][i], gram[k][j] = (c * gram[k][i] - s * gram[k][j],
                                  s * gram[k][i] + c * gram[k][j])
    for k in range(m):
        gram[i][k], gram[j][k] = (c * gram[i][k] - s * gram[j][k],
                                  s * gram[i][k] + c * gram[j][k])
    for row in vectors:
        row[i], row[j] = c * row[i] - s * row[j], s * row[i] + c * row[j]
