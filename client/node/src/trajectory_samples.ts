// The samples of a trajectory, and the messages in which they travel.

import { GOOD_BYTES } from './batch.js';
import { badArgument, TorquedError } from './errors.js';
import { Matrix } from './matrix.js';
import { checkRecord } from './message.js';
import { hint } from './near_names.js';
import type { SentArray } from './numbers.js';
import { type JointRows, type Rows, toTable } from './rows_input.js';
import { rowsOfTable } from './states.js';

/**
 * Samples of a motion, one row per sample, in the forms of `States`. Joint
 * columns follow the model's canonical order unless `jointNames` of the options
 * says otherwise. Leave the arrays as they are until the check is done: they are
 * sent from where they are, and again where it has to begin anew.
 */
export interface TrajectorySamples {
  /** One number per sample, s, strictly increasing. */
  time: Rows;
  /** Joint positions, rad or m. */
  q: JointRows;
  /** Joint velocities, rad/s or m/s. v and a may both be absent where `derive`
   * of the options says how they follow from q. */
  v?: JointRows;
  /** Joint accelerations, rad/s^2 or m/s^2. */
  a?: JointRows;
  /** 6 columns (moment; force), one row per sample or one for all: what the tip
   * frame's link exerts ON THE ENVIRONMENT, in `tipWrenchReferenceFrame` of the
   * options. Absent: none. */
  tipWrenchOnEnvironment?: Rows;
}

/** A whole trajectory, or its parts one after the other, made as they are
 * wanted. */
export type Trajectory =
  | TrajectorySamples
  | Iterable<TrajectorySamples>
  | AsyncIterable<TrajectorySamples>;

/** torqued.v1.TrajectorySamples, as it is sent. */
export type WireSamples = Partial<Record<keyof TrajectorySamples, SentArray>>;

/** What samples are read by. */
export interface SampleShape {
  readonly nq: number;
  readonly nv: number;
  /** Joint of each column. */
  readonly jointNames: readonly string[];
  /** Largest message, bytes. */
  readonly maxMessageBytes: number;
}

const FIELDS: Readonly<
  Record<keyof TrajectorySamples, { field: string; ofJoints: boolean }>
> = {
  time: { field: 'samples.time', ofJoints: false },
  q: { field: 'samples.q', ofJoints: true },
  v: { field: 'samples.v', ofJoints: true },
  a: { field: 'samples.a', ofJoints: true },
  tipWrenchOnEnvironment: {
    field: 'samples.tip_wrench_on_environment',
    ofJoints: false,
  },
};

function columnsOf(name: keyof TrajectorySamples, shape: SampleShape): number {
  switch (name) {
    case 'time':
      return 1;
    case 'q':
      return shape.nq;
    case 'tipWrenchOnEnvironment':
      return 6;
    default:
      return shape.nv;
  }
}

// One row for every sample, of a wrench that is given once.
function repeated(table: Matrix, rows: number): Matrix {
  const data = new Float64Array(rows * table.columns);
  for (let row = 0; row < rows; ++row) {
    data.set(table.data, row * table.columns);
  }
  return new Matrix(data, rows, table.columns);
}

function readSamples(
  samples: TrajectorySamples,
  shape: SampleShape,
): Map<keyof TrajectorySamples, Matrix> {
  checkRecord(samples, 'samples');
  const tables = new Map<keyof TrajectorySamples, Matrix>();
  for (const key of Object.keys(samples)) {
    if (!Object.hasOwn(FIELDS, key)) {
      throw badArgument(
        'INVALID_FIELD',
        `samples.${key}`,
        `samples have no ${key}${hint(key, Object.keys(FIELDS))}`,
      );
    }
    const name = key as keyof TrajectorySamples;
    const { field, ofJoints } = FIELDS[name];
    const table = toTable(field, samples[name], {
      count: columnsOf(name, shape),
      jointNames: ofJoints ? shape.jointNames : undefined,
    });
    if (table) tables.set(name, table);
  }
  return tables;
}

function countSamples(
  tables: ReadonlyMap<keyof TrajectorySamples, Matrix>,
): number {
  const time = tables.get('time');
  if (!time) {
    throw badArgument(
      'MISSING_INPUT',
      FIELDS.time.field,
      'samples need their time',
    );
  }
  for (const [name, { rows }] of tables) {
    if (rows === time.rows) continue;
    if (rows === 1 && name === 'tipWrenchOnEnvironment') continue;
    const { field } = FIELDS[name];
    throw badArgument(
      'WRONG_ROW_COUNT',
      field,
      `${field} has ${rows} rows, ${FIELDS.time.field} has ${time.rows}`,
    );
  }
  return time.rows;
}

interface Part {
  readonly tables: ReadonlyMap<keyof TrajectorySamples, Matrix>;
  readonly total: number;
}

function readPart(samples: TrajectorySamples, shape: SampleShape): Part {
  const tables = readSamples(samples, shape);
  return { tables, total: countSamples(tables) };
}

function readNumbered(
  samples: TrajectorySamples,
  shape: SampleShape,
  number: number,
): Part {
  try {
    return readPart(samples, shape);
  } catch (error) {
    if (!(error instanceof TorquedError)) throw error;
    const place = { part: String(number) };
    throw error.withMetadata(`part ${number}: ${error.message}`, place);
  }
}

function* messagesOfPart(
  { tables, total }: Part,
  shape: SampleShape,
): Generator<WireSamples, void, undefined> {
  let numbers = 0;
  for (const { columns } of tables.values()) numbers += columns;
  const bytes = Math.min(GOOD_BYTES, shape.maxMessageBytes / 2);
  const atATime = Math.max(1, Math.floor(bytes / (8 * numbers)));
  for (let first = 0; first < total; first += atATime) {
    const count = Math.min(atATime, total - first);
    const message: WireSamples = {};
    for (const [name, table] of tables) {
      message[name] =
        table.rows === total
          ? rowsOfTable(table, first, count)
          : rowsOfTable(repeated(table, count), 0, count);
    }
    yield message;
  }
}

function isParts(
  trajectory: Trajectory,
): trajectory is
  Iterable<TrajectorySamples> | AsyncIterable<TrajectorySamples> {
  return (
    typeof trajectory === 'object' &&
    trajectory !== null &&
    (Symbol.asyncIterator in trajectory || Symbol.iterator in trajectory)
  );
}

/** The messages, made as they are wanted. Throws TorquedError for what is no
 * table of numbers, and what the trajectory throws. */
export async function* messagesOf(
  trajectory: Trajectory,
  shape: SampleShape,
): AsyncGenerator<WireSamples, void, undefined> {
  if (!isParts(trajectory)) {
    yield* messagesOfPart(readPart(trajectory, shape), shape);
    return;
  }
  let number = 0;
  for await (const samples of trajectory) {
    yield* messagesOfPart(readNumbered(samples, shape, number), shape);
    number += 1;
  }
}
