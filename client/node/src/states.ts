// What goes into a computation.

import { checkNames, snakeName } from './message.js';
import type { Matrix } from './matrix.js';
import { toTable, wrongRows } from './rows_input.js';
import { rowsOfTable, type SentArray } from './tables.js';

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
