// Tables of numbers, and how they travel.

import { brokenReply } from './errors.js';

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

/** torqued.v1.Array: at most one of its payloads holds rows. */
export interface WireArray {
  columns: number;
  values: number[];
  f64: Uint8Array;
  f32: Uint8Array;
}

/** An array as it is sent. */
export interface SentArray {
  columns: number;
  f64: Uint8Array;
}

/** Rows of a table as they are sent, without copying; a single row goes along
 * whole. */
export function rowsOfTable(
  { data, rows, columns }: Matrix,
  first: number,
  count: number,
): SentArray {
  const [from, length] = rows === 1 ? [0, 1] : [first, count];
  return {
    columns,
    f64: new Uint8Array(
      data.buffer,
      data.byteOffset + from * columns * 8,
      length * columns * 8,
    ),
  };
}

/** How many numbers the array holds. */
export function countNumbers({ f64, f32, values }: WireArray): number {
  return f64.length / 8 + f32.length / 4 + values.length;
}

/** Tables whose rows arrive in parts, in order. */
export class TableBuilder {
  readonly #total: number;
  readonly #parts = new Map<string, { table: Matrix; rows: number }>();

  /** For `total` rows in all. */
  constructor(total: number) {
    this.#total = total;
  }

  /** Copies rows [first, first + count). `height`: rows of the matrix that a row
   * is. Throws TorquedError unless they are the next ones. */
  add(
    name: string,
    array: WireArray,
    first: number,
    count: number,
    height = 1,
  ): void {
    const { columns, f64, f32, values } = array;
    const part = this.#parts.get(name) ?? this.#begin(name, columns, height);
    const numbers = countNumbers(array);
    if (
      first !== part.rows ||
      columns !== part.table.columns ||
      !(first + count <= this.#total) ||
      numbers !== count * columns
    ) {
      const what = `${numbers} numbers of ${columns} columns`;
      const where = `${count} rows from ${first} on, after ${part.rows}`;
      throw brokenReply(`the reply's ${name} has ${what} for ${where}`);
    }
    const { data } = part.table;
    const at = first * columns;
    if (f64.length > 0) {
      new Uint8Array(data.buffer, at * 8, f64.length).set(f64);
    } else if (f32.length > 0) {
      // What arrives lies at any address.
      data.set(new Float32Array(new Uint8Array(f32).buffer), at);
    } else {
      data.set(values, at);
    }
    part.rows += count;
  }

  /** A whole table; where `mayLack`, without columns if nothing of it has come.
   * Throws TorquedError where rows lack. */
  table(name: string, mayLack = false): Matrix {
    const part = this.#parts.get(name);
    if (part?.rows === this.#total) return part.table;
    if (!part && mayLack) return this.#begin(name, 0, 1).table;
    throw brokenReply(
      `the reply's ${name} has ${part?.rows ?? 0} rows of ${this.#total}`,
    );
  }

  #begin(name: string, columns: number, height: number) {
    const data = new Float64Array(this.#total * columns);
    const table = new Matrix(data, this.#total, columns, height);
    const part = { table, rows: 0 };
    this.#parts.set(name, part);
    return part;
  }
}
