// Tables of numbers, and how they travel.

/** A table of numbers, row-major: in results one row per state. Rows of
 * matrix-valued quantities are flattened row-major; `matrix(k)` has them in their
 * own shape. */
export class Matrix {
  /** All numbers, rows one after the other; `rows * columns` of them. */
  readonly data: Float64Array;
  readonly rows: number;
  readonly columns: number;
  readonly #rowsOfRow: number;

  /** Takes over `data`, without copying. `rowsOfRow`: rows of the matrix that a
   * row of this one is, 1 for plain numbers. */
  constructor(
    data: Float64Array,
    rows: number,
    columns: number,
    rowsOfRow = 1,
  ) {
    if (data.length !== rows * columns) {
      const what = `${data.length} numbers`;
      throw new RangeError(`${what} are not ${rows} rows of ${columns}`);
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
      if (row.length === columns) return data.set(row, k * columns);
      const why = `${row.length} numbers, row 0 has ${columns}`;
      throw new RangeError(`row ${k} has ${why}`);
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

  /** The matrix of state k as a view in its own shape, as 6 x 7 of a Jacobian. One row
   * if the quantity is not a matrix. */
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

/** A table of zeros. */
export function zeros(rows: number, columns: number, rowsOfRow = 1): Matrix {
  const data = new Float64Array(rows * columns);
  return new Matrix(data, rows, columns, rowsOfRow);
}

/** torqued.v1.Array: one of its payloads, as the encoding says, holds rows. */
export interface WireArray {
  columns: number;
  f64: Buffer;
  f32: Uint8Array;
  values: number[];
}

/** Copies rows of a reply to their place, `first` on. Throws RangeError if they do
 * not fit. */
export function addRows(
  { data, rows, columns }: Matrix,
  { f64, f32, values }: WireArray,
  first: number,
): void {
  const at = first * columns;
  if (f64.length > 0 && rows === 1) {
    // Without another array, which costs more than its numbers.
    for (let k = 0; k < columns; ++k) data[at + k] = f64.readDoubleLE(8 * k);
  } else if (f64.length > 0) {
    // Received bytes may be at any address.
    new Uint8Array(data.buffer, at * 8, f64.length).set(f64);
  } else if (f32.length > 0) {
    data.set(new Float32Array(new Uint8Array(f32).buffer), at);
  } else {
    data.set(values, at);
  }
}
