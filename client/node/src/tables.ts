// Tables as they travel.

import { brokenReply } from './errors.js';
import { Matrix } from './matrix.js';

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
