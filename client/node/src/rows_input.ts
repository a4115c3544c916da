// Numbers of states, in the forms in which they may be given, as tables.

import { badArgument } from './errors.js';
import { Matrix, rowsOfTable, type SentArray } from './matrix.js';
import { checkNames, isList, snakeName, wrongKind } from './message.js';

/**
 * Numbers of one state or of many, one row per state:
 * - a `Float64Array`, `Float32Array` or flat array of numbers: rows one after
 *   the other; a single state is just its numbers;
 * - an array of rows;
 * - a `Matrix`, as results have them.
 *
 * A `Float64Array` and a `Matrix` are sent from where they are: leave them as
 * they are until the call is done. An input without numbers is refused
 * (WRONG_ROW_COUNT) unless it has no columns: leave out what is absent.
 */
export type Rows = NumberList | readonly NumberList[] | Matrix;

/** Numbers in a row. */
export type NumberList = readonly number[] | Float64Array | Float32Array;

/**
 * Numbers by joint name, one for each joint of the call, in any order: of one
 * state, or an array with a number per state (one number serves all states).
 */
export type ByJointName = Readonly<Record<string, number | NumberList>>;

/** Rows, or numbers by joint name. */
export type JointRows = Rows | ByJointName;

/** An input as a table; undefined where it is absent. A flat array is cut into
 * rows of `columns`; `jointNames` are those of its columns, undefined where it
 * has none. */
export function toTable(
  field: string,
  given: unknown,
  columns: number,
  jointNames: readonly string[] | undefined,
): Matrix | undefined {
  if (given === undefined || given === null) return undefined;
  let table: Matrix;
  if (given instanceof Matrix) {
    table = given;
  } else if (Array.isArray(given) && isList(given[0])) {
    table = fromRows(field, given);
  } else if (typeof given === 'object' && !isList(given) && jointNames) {
    table = fromNames(field, given as ByJointName, jointNames);
  } else {
    table = fromFlat(field, numbersOf(field, given), columns);
  }
  if (table.data.length > 0) return table;
  // Taken for absent it would stand for zeros.
  if (columns > 0) throw wrongRows(field, `${field} is given and has no rows`);
  return undefined;
}

function fromFlat(field: string, data: Float64Array, columns: number): Matrix {
  const rows = data.length / columns || 0;
  if (Number.isInteger(rows)) return new Matrix(data, rows, columns);
  const what = `${field} has ${data.length} numbers`;
  const why = `${what}, which are no rows of ${columns}`;
  throw badArgument('WRONG_COLUMN_COUNT', field, why);
}

function numbersOf(field: string, given: unknown): Float64Array {
  if (given instanceof Float64Array) return given;
  const list = isList(given) ? given : [given];
  return Float64Array.from(list, (number) => {
    if (typeof number === 'number') return number;
    throw wrongKind(field, number, 'numbers', 'INVALID_FIELD');
  });
}

function fromRows(field: string, given: readonly unknown[]): Matrix {
  const rows = given.map((row) => {
    if (isList(row)) return numbersOf(field, row);
    throw wrongKind(field, row, 'rows of numbers', 'INVALID_FIELD');
  });
  const columns = rows[0]!.length;
  const k = rows.findIndex(({ length }) => length !== columns);
  if (k < 0) return Matrix.from(rows);
  throw badArgument(
    'MALFORMED_ARRAY',
    field,
    `row ${k} of ${field} has ${rows[k]!.length} numbers, row 0 has ${columns}`,
    { row: String(k) },
  );
}

function fromNames(
  field: string,
  given: ByJointName,
  jointNames: readonly string[],
): Matrix {
  const wrong = (joint: string, why: string) =>
    badArgument('WRONG_JOINT_NAMES', field, `${field} ${why}`, { joint });
  for (const joint of Object.keys(given)) {
    if (jointNames.includes(joint)) continue;
    const known = jointNames.join(', ');
    throw wrong(joint, `names ${joint}, which is none of the joints ${known}`);
  }
  const ofJoints = jointNames.map((joint) => {
    if (Object.hasOwn(given, joint)) return numbersOf(field, given[joint]);
    throw wrong(joint, `lacks ${joint}`);
  });
  const rows = Math.max(0, ...ofJoints.map(({ length }) => length));
  const columns = ofJoints.length;
  const table = new Matrix(new Float64Array(rows * columns), rows, columns);
  ofJoints.forEach((column, c) => {
    if (column.length !== rows && column.length !== 1) {
      const joint = jointNames[c]!;
      const why = `has ${column.length} numbers of ${joint}, ${rows} of others`;
      throw wrongRows(field, `${field} ${why}`, { joint });
    }
    for (let k = 0; k < rows; ++k) {
      table.data[k * columns + c] = column[column.length === 1 ? 0 : k]!;
    }
  });
  return table;
}

/** The error of an input whose rows are not as many as they have to be. */
export function wrongRows(
  field: string,
  message: string,
  metadata: Record<string, string> = {},
): Error {
  return badArgument('WRONG_ROW_COUNT', field, message, metadata);
}

/** What the words of a shape stand for: "nv". */
export type Sizes = Readonly<Record<string, number>>;

/** What a robot's inputs are read by. */
export interface InputShape {
  readonly sizes: Sizes;
  /** Joint of each column. */
  readonly jointNames: readonly string[];
}

type What = 'states' | 'samples';

/** The inputs that are present, as tables under their names on the wire. */
export type Inputs = Readonly<Record<string, Matrix>>;

const wordsOf = new Map<string, readonly string[]>();

/** The sizes of a shape, "nv nv". */
export function sizesOf(shape: string, sizes: Sizes): number[] {
  let words = wordsOf.get(shape);
  if (!words) {
    wordsOf.set(shape, (words = shape.split(' ').filter(Boolean)));
  }
  return words.map((word) => sizes[word] ?? Number(word));
}

/** Numbers of a row of that shape. */
export function countOf(shape: string, sizes: Sizes): number {
  return sizesOf(shape, sizes).reduce((product, size) => product * size, 1);
}

/** Reads the inputs of `shapes`; `prefix` stands before their fields in errors.
 * Throws TorquedError for what is no table of numbers. */
export function readInputs(
  given: object,
  what: What,
  shapes: Readonly<Record<string, string>>,
  { sizes, jointNames }: InputShape,
): Inputs {
  checkNames(given, Object.keys(shapes), what, 'INVALID_FIELD');
  const inputs: Record<string, Matrix> = {};
  for (const [name, value] of Object.entries(given)) {
    const shape = shapes[name]!;
    const table = toTable(
      fieldOf(name, what),
      value,
      countOf(shape, sizes),
      shape === 'nq' || shape === 'nv' ? jointNames : undefined,
    );
    if (table) inputs[name] = table;
  }
  return inputs;
}

/** As errors name it. */
function fieldOf(name: string, what: What): string {
  return `${what === 'samples' ? 'samples.' : ''}${snakeName(name)}`;
}

/** The most rows of any input; 0 without inputs. Throws WRONG_ROW_COUNT where
 * another one has neither that many nor, if it may, one. */
export function countRows(
  inputs: Inputs,
  what: What,
  mayRepeat: (name: string) => boolean = () => true,
): number {
  let [rows, longest] = [0, ''];
  for (const [name, table] of Object.entries(inputs)) {
    if (table.rows > rows) [rows, longest] = [table.rows, name];
  }
  for (const [name, table] of Object.entries(inputs)) {
    if (table.rows === rows || (table.rows === 1 && mayRepeat(name))) continue;
    const field = fieldOf(name, what);
    throw wrongRows(
      field,
      `${field} has ${table.rows} rows, ${fieldOf(longest, what)} has ${rows}`,
    );
  }
  return rows;
}

/** Rows [first, first + count) as fields of a message, without copying. */
export function chunkOf(
  inputs: Inputs,
  first: number,
  count: number,
): Record<string, SentArray> {
  const chunk: Record<string, SentArray> = {};
  for (const [name, table] of Object.entries(inputs)) {
    chunk[name] = rowsOfTable(table, first, count);
  }
  return chunk;
}
