// The samples of a trajectory, and the messages in which they travel.

import { GOOD_BYTES } from './batch.js';
import { INPUTS, type States } from './contract.js';
import { TorquedError } from './errors.js';
import { Matrix } from './matrix.js';
import { wrongKind } from './message.js';
import type { JointRows, Rows } from './rows_input.js';
import { chunkOf, countRows, type InputShape, readInputs } from './states.js';
import type { SentArray } from './tables.js';

/**
 * Samples of a motion, one row per sample, in the forms of `States`. v and a may
 * both be absent where `derive` of the options says how they follow from q; the
 * wrench may have one row for all. Leave the arrays as they are until the check is
 * done: they are sent from where they are, and again where it has to begin anew.
 */
export interface TrajectorySamples extends Pick<
  States,
  'v' | 'a' | 'tipWrenchOnEnvironment'
> {
  /** One number per sample, s, strictly increasing. */
  time: Rows;
  /** Joint positions, rad or m. */
  q: JointRows;
}

/** A whole trajectory, or its parts one after the other, made as they are
 * wanted. */
export type Trajectory =
  | TrajectorySamples
  | Iterable<TrajectorySamples>
  | AsyncIterable<TrajectorySamples>;

/** torqued.v1.TrajectorySamples, as it is sent. */
export type WireSamples = Record<string, SentArray>;

/** What samples are read by. */
export interface SampleShape extends InputShape {
  /** Largest message, bytes. */
  readonly maxMessageBytes: number;
}

const WRENCH = 'tipWrenchOnEnvironment';
const { q, v, a, [WRENCH]: wrench } = INPUTS;
const SAMPLES = { time: '1', q, v, a, [WRENCH]: wrench };

// Of a wrench that is given once.
function repeated({ data, columns }: Matrix, rows: number): Matrix {
  const all = new Float64Array(rows * columns);
  for (let k = 0; k < rows; ++k) all.set(data, k * columns);
  return new Matrix(all, rows, columns);
}

function* messagesOfPart(
  samples: TrajectorySamples,
  shape: SampleShape,
): Generator<WireSamples, void, undefined> {
  const given = readInputs(samples, 'samples', SAMPLES, shape);
  const total = countRows(given, 'samples', (name) => name === WRENCH);
  const tables = Object.entries(given).map(
    ([name, table]) =>
      [name, table.rows === total ? table : repeated(table, total)] as const,
  );
  const numbers = tables.reduce((sum, [, { columns }]) => sum + columns, 0);
  const bytes = Math.min(GOOD_BYTES, shape.maxMessageBytes / 2);
  const atATime = Math.max(1, Math.floor(bytes / (8 * numbers)));
  for (let first = 0; first < total; first += atATime) {
    const count = Math.min(atATime, total - first);
    yield chunkOf(Object.fromEntries(tables), first, count);
  }
}

/** The messages, made as they are wanted. Throws TorquedError for what is no
 * table of numbers, and what the trajectory throws. */
export async function* messagesOf(
  trajectory: Trajectory,
  shape: SampleShape,
): AsyncGenerator<WireSamples, void, undefined> {
  if (typeof trajectory !== 'object' || trajectory === null) {
    throw wrongKind('samples', trajectory, 'an object');
  }
  const isParts =
    Symbol.asyncIterator in trajectory || Symbol.iterator in trajectory;
  if (!isParts) {
    yield* messagesOfPart(trajectory, shape);
    return;
  }
  let part = 0;
  for await (const samples of trajectory) {
    try {
      yield* messagesOfPart(samples, shape);
    } catch (error) {
      if (!(error instanceof TorquedError)) throw error;
      throw error.with(`part ${part}: ${error.message}`, {
        part: String(part),
      });
    }
    part += 1;
  }
}
