import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Matrix } from 'torqued';

const table = Matrix.from([
  [1, 2, 3],
  [4, 5, 6],
]);

test('rows are views', () => {
  assert.deepEqual([...table.row(1)], [4, 5, 6]);
  assert.equal(table.row(1).buffer, table.data.buffer);
  assert.equal(table.at(1, 2), 6);
  assert.deepEqual(table.toArrays(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
});

test('what is not there is refused', () => {
  for (const index of [-1, 2, 0.5, NaN, undefined]) {
    assert.throws(() => table.row(index), RangeError);
  }
  assert.throws(() => table.at(0, 3), /no column 3/);
  assert.throws(() => Matrix.from([[1], [2, 3]]), /row 1 has 2/);
  assert.throws(() => new Matrix(new Float64Array(5), 2, 3), RangeError);
});

test('a row is a matrix in its own shape', () => {
  const flat = new Matrix(Float64Array.of(1, 2, 3, 4, 5, 6), 1, 6, 2);
  assert.deepEqual(flat.matrix(0).toArrays(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(table.matrix(1).toArrays(), [[4, 5, 6]]);
});
