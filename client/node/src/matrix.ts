// Tables of numbers.

/**
 * A table of numbers, row-major: in results one row per state. Rows of
 * matrix-valued quantities are flattened row-major; `matrix(k)` has them in
 * their own shape.
 */
export class Matrix {
  /** All numbers, rows one after the other; `rows * columns` of them. */
  readonly data: Float64Array;
  readonly rows: number;
  readonly columns: number;
  readonly #rowsOfRow: number;

  /**
   * Takes over `data`, without copying. `rowsOfRow`: rows of the matrix that a
   * row of this one is, 1 for plain numbers.
   */
  constructor(
    data: Float64Array,
    rows: number,
    columns: number,
    rowsOfRow = 1,
  ) {
    if (data.length !== rows * columns) {
      throw new RangeError(
        `${data.length} numbers are not ${rows} rows of ${columns}`,
      );
    }
    this.data = data;
    this.rows = rows;
    this.columns = columns;
    this.#rowsOfRow = rowsOfRow;
  }

  /** Rows of equal length, copied. */
  static from(rows: readonly ArrayLike<number>[]): Matrix {
    const columns = rows[0]?.length ?? 0;
    const data = new Float64Array(rows.length * columns);
    rows.forEach((row, k) => {
      if (row.length !== columns) {
        throw new RangeError(
          `row ${k} has ${row.length} numbers, row 0 has ${columns}`,
        );
      }
      data.set(row, k * columns);
    });
    return new Matrix(data, rows.length, columns);
  }

  /** The numbers of row k, as a view: of state k in results. */
  row(k: number): Float64Array {
    this.#check(k, this.rows, 'row');
    return this.data.subarray(k * this.columns, (k + 1) * this.columns);
  }

  /** One number. */
  at(row: number, column: number): number {
    this.#check(row, this.rows, 'row');
    this.#check(column, this.columns, 'column');
    return this.data[row * this.columns + column] as number;
  }

  /** The matrix of state k as a view in its own shape: 7 x 7 of a mass matrix,
   * 6 x 7 of a Jacobian. One row where the quantity is no matrix. */
  matrix(k: number): Matrix {
    const rows = this.#rowsOfRow;
    const columns = rows === 0 ? 0 : this.columns / rows;
    return new Matrix(this.row(k), rows, columns);
  }

  /** Copied to arrays of numbers, one per row. */
  toArrays(): number[][] {
    return Array.from({ length: this.rows }, (_, k) => Array.from(this.row(k)));
  }

  #check(index: number, count: number, what: string): void {
    if (!Number.isInteger(index) || index < 0 || index >= count) {
      throw new RangeError(`there is no ${what} ${index}, there are ${count}`);
    }
  }
}
