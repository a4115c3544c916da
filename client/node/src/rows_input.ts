// Numbers of states, in the forms in which they may be given, as tables.

import { badArgument } from './errors.js';
import { Matrix, zeros } from './matrix.js';
import { checkNames, isList, snakeName, wrongKind } from './message.js';

/**
 * Numbers of one state or of many, one row per state: a flat array or typed array
 * with rows one after the other, an array of rows, or a `Matrix`, as results have
 * them. A `Float64Array` and a `Matrix` are sent from where they are: leave them as
 * they are until the call is done. An input without numbers is refused
 * (WRONG_ROW_COUNT) unless it has no columns: leave out what is absent.
 */
export type Rows = NumberList | readonly NumberList[] | Matrix;

/** Numbers in a row. */
export type NumberList = readonly number[] | Float64Array | Float32Array;

/** Numbers by joint name, one for each joint of the call, in any order: of one
 * state, or an array with a number per state (one number serves all states). */
export type ByJointName = Readonly<Record<string, number | NumberList>>;

/** Rows, or numbers by joint name. */
export type JointRows = Rows | ByJointName;

// `jointNames` are those of its columns, undefined if it has none.
function toTable(
  field: string,
  given: unknown,
  columns: number,
  jointNames: readonly string[] | undefined,
): Matrix {
  if (given instanceof Matrix) return given;
  if (Array.isArray(given) && isList(given[0])) return fromRows(field, given);
  if (typeof given === 'object' && !isList(given) && jointNames) {
    return fromNames(field, given as ByJointName, jointNames);
  }
  const data = numbersOf(field, given);
  const rows = data.length / columns || 0;
  if (Number.isInteger(rows)) return new Matrix(data, rows, columns);
  const why = `${field} has ${data.length} numbers, which are no rows of ${columns}`;
  throw badArgument('WRONG_COLUMN_COUNT', field, why);
}

function numbersOf(field: string, given: unknown): Float64Array {
  if (given instanceof Float64Array) return given;
  return Float64Array.from(isList(given) ? given : [given], (number) => {
    if (typeof number === 'number') return number;
    throw wrongKind(field, number, 'numbers', 'INVALID_FIELD');
  });
}

function fromRows(field: string, given: readonly unknown[]): Matrix {
  const rows = given.map((row) => {
    if (isList(row)) return numbersOf(field, row);
    throw wrongKind(field, row, 'rows of numbers', 'INVALID_FIELD');
  });
  try {
    return Matrix.from(rows);
  } catch (error) {
    const message = `${field}: ${(error as RangeError).message}`;
    throw badArgument('MALFORMED_ARRAY', field, message);
  }
}

function fromNames(
  field: string,
  given: ByJointName,
  jointNames: readonly string[],
): Matrix {
  const wrong = (reason: string, joint: string, why: string) =>
    badArgument(reason, field, `${field} ${why}`, { joint });
  for (const joint of Object.keys(given)) {
    if (jointNames.includes(joint)) continue;
    const why = `names ${joint}, which is none of the joints ${jointNames.join(', ')}`;
    throw wrong('WRONG_JOINT_NAMES', joint, why);
  }
  const columns = jointNames.map((joint) => {
    if (Object.hasOwn(given, joint)) return numbersOf(field, given[joint]);
    throw wrong('WRONG_JOINT_NAMES', joint, `lacks ${joint}`);
  });
  const rows = Math.max(0, ...columns.map(({ length }) => length));
  const table = zeros(rows, columns.length);
  columns.forEach((column, c) => {
    if (column.length !== rows && column.length !== 1) {
      const joint = jointNames[c]!;
      const why = `has ${column.length} numbers of ${joint}, ${rows} of others`;
      throw wrong('WRONG_ROW_COUNT', joint, why);
    }
    for (let k = 0; k < rows; ++k) {
      table.data[k * columns.length + c] = column[k % column.length]!;
    }
  });
  return table;
}

/** The numbers behind the words of a shape: "nv". */
export type Sizes = Readonly<Record<string, number>>;

/** The data by which a robot's inputs are read. */
export interface InputShape {
  readonly sizes: Sizes;
  /** Joint of each column. */
  readonly jointNames: readonly string[];
}

/** The inputs that are present, as tables under their names on the wire. */
export type Inputs = Readonly<Record<string, Matrix>>;

function sizesOf(shape: string, sizes: Sizes): number[] {
  if (shape === '') return [];
  return shape.split(' ').map((word) => sizes[word] ?? Number(word));
}

/** Numbers of a row of that shape, "nv nv". */
export function countOf(shape: string, sizes: Sizes): number {
  return sizes[shape] ?? sizesOf(shape, sizes).reduce((x, y) => x * y, 1);
}

/** Rows of the matrix that a row of that shape is. */
export function heightOf(shape: string, sizes: Sizes): number {
  return shape.includes(' ') ? sizesOf(shape, sizes)[0]! : 1;
}

/** Reads the inputs of `shapes`. Errors name their fields with `prefix` before
 * them. Throws TorquedError for other input than a table of numbers. */
export function readInputs(
  given: object,
  prefix: '' | 'samples.',
  shapes: Readonly<Record<string, string>>,
  { sizes, jointNames }: InputShape,
): Inputs {
  const what = prefix === '' ? 'states' : 'samples';
  checkNames(given, Object.keys(shapes), what, 'INVALID_FIELD');
  const inputs: Record<string, Matrix> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    const field = prefix + snakeName(name);
    const shape = shapes[name]!;
    const columns = countOf(shape, sizes);
    const names = shape === 'nq' || shape === 'nv' ? jointNames : undefined;
    const table = toTable(field, value, columns, names);
    if (table.data.length > 0) inputs[name] = table;
    // Taken for absent it would stand for zeros.
    else if (columns > 0) throw wrongRows(field, 'is empty');
  }
  return inputs;
}

function wrongRows(field: string, why: string): Error {
  return badArgument('WRONG_ROW_COUNT', field, `${field} ${why}`);
}

/** The most rows of any input; 0 without inputs. Throws WRONG_ROW_COUNT if
 * another one has neither that many nor, if it may, one. */
export function countRows(
  inputs: Inputs,
  prefix: '' | 'samples.',
  mayRepeat: (name: string) => boolean = () => true,
): number {
  let [rows, longest] = [0, ''];
  for (const name in inputs) {
    if (inputs[name]!.rows > rows) [rows, longest] = [inputs[name]!.rows, name];
  }
  for (const name in inputs) {
    const own = inputs[name]!.rows;
    if (own === rows || (own === 1 && mayRepeat(name))) continue;
    const others = `${prefix}${snakeName(longest)} has ${rows}`;
    throw wrongRows(prefix + snakeName(name), `has ${own} rows, ${others}`);
  }
  return rows;
}

/** Rows [first, first + count) as fields of a message, without copying; a single
 * row goes along whole. */
export function chunkOf(
  inputs: Inputs,
  first: number,
  count: number,
): Record<string, object> {
  const chunk: Record<string, object> = {};
  for (const name in inputs) {
    const { data, rows, columns } = inputs[name]!;
    const [from, length] = rows === 1 ? [0, 1] : [first, count];
    const at = data.byteOffset + from * columns * 8;
    const f64 = new Uint8Array(data.buffer, at, length * columns * 8);
    chunk[name] = { columns, f64 };
  }
  return chunk;
}
