// What goes into a computation.

import { INPUTS, type States } from './contract.js';
import { badArgument } from './errors.js';
import type { Matrix } from './matrix.js';
import { checkRecord } from './message.js';
import { hint } from './near_names.js';
import type { SentArray, WireChunk } from './numbers.js';
import { toTable } from './rows_input.js';

/** What a robot's states are read by. */
export interface StateShape {
  readonly nq: number;
  readonly nv: number;
  /** Joint of each column. */
  readonly jointNames: readonly string[];
  /** Axes of the task. */
  readonly axes: number;
  /** How many external wrenches there are. */
  readonly externalWrenches: number;
}

/** The inputs that are present, as tables. */
export type Inputs = ReadonlyMap<keyof States, Matrix>;

function columnsOf(words: string, shape: StateShape): number {
  const sizes: Record<string, number> = {
    nq: shape.nq,
    nv: shape.nv,
    m: shape.axes,
    w: shape.externalWrenches,
  };
  return words
    .split(' ')
    .reduce((product, word) => product * (sizes[word] ?? Number(word)), 1);
}

/** Throws TorquedError for what is no table of numbers. */
export function readStates(states: States, shape: StateShape): Inputs {
  checkRecord(states, 'states');
  const inputs = new Map<keyof States, Matrix>();
  for (const key of Object.keys(states)) {
    if (!Object.hasOwn(INPUTS, key)) {
      throw badArgument(
        'INVALID_FIELD',
        key,
        `states have no ${key}${hint(key, Object.keys(INPUTS))}`,
      );
    }
    const name = key as keyof States;
    const [field, words] = INPUTS[name];
    const table = toTable(field, states[name], {
      count: columnsOf(words, shape),
      jointNames: /^n[qv]$/.test(words) ? shape.jointNames : undefined,
    });
    if (table) inputs.set(name, table);
  }
  return inputs;
}

/** The most rows of any input; 0 without inputs. Throws WRONG_ROW_COUNT where
 * another has neither that many nor one. */
export function countStates(inputs: Inputs): number {
  let rows = 0;
  let longest = '';
  for (const [name, table] of inputs) {
    if (table.rows > rows) {
      rows = table.rows;
      longest = INPUTS[name][0];
    }
  }
  for (const [name, table] of inputs) {
    if (table.rows === 1 || table.rows === rows) continue;
    const [field] = INPUTS[name];
    throw badArgument(
      'WRONG_ROW_COUNT',
      field,
      `${field} has ${table.rows} rows, ${longest} has ${rows}`,
    );
  }
  return rows;
}

/** Numbers of a state that travel for every row. */
export function numbersPerRow(inputs: Inputs): number {
  let numbers = 0;
  for (const table of inputs.values()) {
    if (table.rows > 1) numbers += table.columns;
  }
  return numbers;
}

/** The given rows as fields of a chunk, without copying; inputs of one row go
 * along whole. */
export function chunkOf(
  inputs: Inputs,
  first: number,
  count: number,
): WireChunk {
  const chunk: WireChunk = {};
  for (const [name, table] of inputs) {
    chunk[name] =
      table.rows === 1
        ? rowsOfTable(table, 0, 1)
        : rowsOfTable(table, first, count);
  }
  return chunk;
}

/** Rows of a table as they are sent, without copying. */
export function rowsOfTable(
  { data, columns }: Matrix,
  first: number,
  count: number,
): SentArray {
  return {
    columns,
    f64: new Uint8Array(
      data.buffer,
      data.byteOffset + first * columns * 8,
      count * columns * 8,
    ),
  };
}
