// Numbers of states, in the forms in which they may be given, as tables.

import { badArgument } from './errors.js';
import { Matrix } from './matrix.js';

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
export type Rows = Numbers | readonly Numbers[] | Matrix;

type Numbers = readonly number[] | Float64Array | Float32Array;

/** Numbers in a row; a copy of them is sent. */
export type NumberList = Numbers;

/**
 * Numbers by joint name, one for each joint of the call, in any order: of one
 * state, or an array with a number per state (one number serves all states).
 */
export type ByJointName = Readonly<Record<string, number | Numbers>>;

/** Rows, or numbers by joint name. */
export type JointRows = Rows | ByJointName;

/** What a joint's input is read by. */
export interface Columns {
  /** How many a flat array is cut into. */
  readonly count: number;
  /** Joint of each column; undefined: names cannot be given. */
  readonly jointNames: readonly string[] | undefined;
}

/** An input as a table; undefined where it is absent. */
export function toTable(
  field: string,
  given: JointRows | undefined,
  columns: Columns,
): Matrix | undefined {
  if (given === undefined || given === null) return undefined;
  if (given instanceof Matrix) {
    return given.data.length === 0 ? withoutNumbers(field, columns) : given;
  }
  if (given instanceof Float64Array) return fromFlat(field, given, columns);
  if (Array.isArray(given)) return fromArray(field, given, columns);
  if (ArrayBuffer.isView(given) && 'length' in given) {
    return fromFlat(
      field,
      Float64Array.from(given as unknown as ArrayLike<number>),
      columns,
    );
  }
  if (typeof given === 'object' && columns.jointNames !== undefined) {
    return fromNames(field, given as ByJointName, columns, columns.jointNames);
  }
  throw badArgument(
    'INVALID_FIELD',
    field,
    `${field} is ${typeof given}, which is no table of numbers`,
  );
}

// Taken for absent it would stand for zeros.
function withoutNumbers(field: string, { count }: Columns): undefined {
  if (count === 0) return undefined;
  throw badArgument(
    'WRONG_ROW_COUNT',
    field,
    `${field} is given and has no rows`,
  );
}

function fromFlat(
  field: string,
  data: Float64Array,
  columns: Columns,
): Matrix | undefined {
  const { count } = columns;
  if (data.length === 0) return withoutNumbers(field, columns);
  if (count === 0 || data.length % count !== 0) {
    throw badArgument(
      'WRONG_COLUMN_COUNT',
      field,
      `${field} has ${data.length} numbers, which are no rows of ${count}`,
    );
  }
  return new Matrix(data, data.length / count, count);
}

function fromArray(
  field: string,
  given: readonly unknown[],
  columns: Columns,
): Matrix | undefined {
  if (given.length === 0) return withoutNumbers(field, columns);
  if (typeof given[0] === 'number') {
    return fromFlat(field, numbersOf(field, given), columns);
  }
  const width = lengthOf(field, 0, given[0]);
  if (width === 0) return withoutNumbers(field, columns);
  const data = new Float64Array(given.length * width);
  given.forEach((row, k) => {
    const length = lengthOf(field, k, row);
    if (length !== width) {
      throw badArgument(
        'MALFORMED_ARRAY',
        field,
        `row ${k} of ${field} has ${length} numbers, row 0 has ${width}`,
        { row: String(k) },
      );
    }
    fill(field, data, k * width, row as ArrayLike<unknown>);
  });
  return new Matrix(data, given.length, width);
}

function lengthOf(field: string, k: number, row: unknown): number {
  if (
    Array.isArray(row) ||
    row instanceof Float64Array ||
    row instanceof Float32Array
  ) {
    return row.length;
  }
  throw badArgument(
    'INVALID_FIELD',
    field,
    `row ${k} of ${field} is ${typeof row}, not an array of numbers`,
    { row: String(k) },
  );
}

function numbersOf(field: string, given: ArrayLike<unknown>): Float64Array {
  const data = new Float64Array(given.length);
  fill(field, data, 0, given);
  return data;
}

function fill(
  field: string,
  data: Float64Array,
  first: number,
  given: ArrayLike<unknown>,
): void {
  for (let i = 0; i < given.length; ++i) {
    const number = given[i];
    if (typeof number !== 'number') {
      throw badArgument(
        'INVALID_FIELD',
        field,
        `${field} holds ${typeof number} among its numbers`,
      );
    }
    data[first + i] = number;
  }
}

function fromNames(
  field: string,
  given: ByJointName,
  columns: Columns,
  jointNames: readonly string[],
): Matrix | undefined {
  for (const joint of Object.keys(given)) {
    if (!jointNames.includes(joint)) {
      throw badArgument(
        'WRONG_JOINT_NAMES',
        field,
        `${field} names ${joint}, which is none of the joints ` +
          jointNames.join(', '),
        { joint },
      );
    }
  }
  const ofJoints = jointNames.map((joint) => {
    const numbers = Object.hasOwn(given, joint) ? given[joint] : undefined;
    if (numbers === undefined) {
      throw badArgument('WRONG_JOINT_NAMES', field, `${field} lacks ${joint}`, {
        joint,
      });
    }
    return numbersOf(field, typeof numbers === 'number' ? [numbers] : numbers);
  });
  const rows = Math.max(0, ...ofJoints.map((column) => column.length));
  const data = new Float64Array(rows * ofJoints.length);
  ofJoints.forEach((column, c) => {
    if (column.length !== rows && column.length !== 1) {
      const joint = jointNames[c] as string;
      throw badArgument(
        'WRONG_ROW_COUNT',
        field,
        `${field} has ${column.length} numbers of ${joint}, ${rows} of others`,
        { joint },
      );
    }
    for (let k = 0; k < rows; ++k) {
      data[k * ofJoints.length + c] = column[column.length === 1 ? 0 : k]!;
    }
  });
  return rows === 0
    ? withoutNumbers(field, columns)
    : new Matrix(data, rows, ofJoints.length);
}
