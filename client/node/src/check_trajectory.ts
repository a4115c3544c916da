// Checks of whole trajectories.

import { type Duplex, Readable } from 'node:stream';
import type { Channel } from './channel.js';
import {
  CHECK_FIELDS,
  type CheckFields,
  INPUTS,
  type States,
  type TrajectoryTable,
  type TrajectoryVerdict,
} from './contract.js';
import { brokenReply, TorquedError } from './errors.js';
import { GOOD_BYTES } from './evaluation.js';
import {
  countNumbers,
  Matrix,
  type SentArray,
  TableBuilder,
  type WireArray,
} from './matrix.js';
import {
  camelName,
  enumName,
  fill,
  toNumber,
  view,
  wrongKind,
} from './message.js';
import { type CallOptions, SHARED_NAMES, wireOptions } from './options.js';
import { enumType, METHODS } from './protocol.js';
import { type CallLimits, untilDone } from './retry.js';
import {
  chunkOf,
  countRows,
  type InputShape,
  type JointRows,
  readInputs,
  type Rows,
} from './rows_input.js';

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

/** Options of `checkTrajectory`. */
export interface CheckOptions<Table extends TrajectoryTable = TrajectoryTable>
  extends CheckFields<Table>, CallOptions {
  /** Look at the operational space along the path, too; `axes` and other options
   * say which. */
  task?: boolean;
  /** Called while the server computes. A check that has to begin anew tells
   * nothing until it is as far as before. */
  progress?: (done: number, total: number) => void;
}

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<Name>;

/** The verdict and the tables that were asked for: one row for each sample, one
 * column for each joint (`sigmaMin` and `condition`: one). */
export interface TrajectoryCheck<
  Table extends TrajectoryTable = never,
> extends TrajectoryVerdict {
  readonly tables: Readonly<Record<Camel<Table>, Matrix>>;
}

/** torqued.v1.CheckTrajectoryStart. */
export interface WireStart {
  readonly tables?: readonly number[];
}

const START_NAMES = [...SHARED_NAMES, ...CHECK_FIELDS, 'task'];

/** Throws for what is no option. */
export function wireStart(model: string, options: CheckOptions): WireStart {
  const { operationalSpace, ...rest } = wireOptions(options, START_NAMES);
  const own = CHECK_FIELDS.map((name) => [name, options[name]]);
  return {
    model,
    ...rest,
    ...(options.task ? { operationalSpace: operationalSpace ?? {} } : {}),
    ...fill('CheckTrajectoryStart', Object.fromEntries(own), 'start'),
  } as WireStart;
}

interface WireCheckReply {
  progress: { samplesDone: unknown; samples: unknown } | null;
  verdict: object | null;
  rows: (Record<string, WireArray | null> & { firstSample: unknown }) | null;
}

/** A check and how it travels. */
export interface Check {
  readonly channel: Channel;
  readonly limits: CallLimits;
  readonly start: WireStart;
  readonly trajectory: Trajectory;
  readonly shape: InputShape;
  readonly maxMessageBytes: number;
  readonly progress: ((done: number, total: number) => void) | undefined;
}

type WireSamples = Record<string, SentArray>;

const tableType = enumType('TrajectoryTable');

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
  { shape, maxMessageBytes }: Check,
): Generator<WireSamples, void, undefined> {
  const given = readInputs(samples, 'samples', SAMPLES, shape);
  const total = countRows(given, 'samples', (name) => name === WRENCH);
  const tables = Object.entries(given).map(
    ([name, table]) =>
      [name, table.rows === total ? table : repeated(table, total)] as const,
  );
  const numbers = tables.reduce((sum, [, { columns }]) => sum + columns, 0);
  const bytes = Math.min(GOOD_BYTES, maxMessageBytes / 2);
  const atATime = Math.max(1, Math.floor(bytes / (8 * numbers)));
  for (let first = 0; first < total; first += atATime) {
    const count = Math.min(atATime, total - first);
    yield chunkOf(Object.fromEntries(tables), first, count);
  }
}

// The messages, made as they are wanted. Throws TorquedError for what is no table of
// numbers, and what the trajectory throws.
async function* messagesOf(
  check: Check,
): AsyncGenerator<WireSamples, void, undefined> {
  const { trajectory } = check;
  if (typeof trajectory !== 'object' || trajectory === null) {
    throw wrongKind('samples', trajectory, 'an object');
  }
  const isParts =
    Symbol.asyncIterator in trajectory || Symbol.iterator in trajectory;
  if (!isParts) {
    yield* messagesOfPart(trajectory, check);
    return;
  }
  let part = 0;
  for await (const samples of trajectory) {
    try {
      yield* messagesOfPart(samples, check);
    } catch (error) {
      if (!(error instanceof TorquedError)) throw error;
      throw error.with(`part ${part}: ${error.message}`, {
        part: String(part),
      });
    }
    part += 1;
  }
}

type Requests = () => AsyncGenerator<object, void, undefined>;

// The messages of a check, whose samples are kept for one that begins anew.
function keeping(
  start: WireStart,
  source: AsyncIterator<WireSamples>,
): Requests {
  const samples: WireSamples[] = [];
  // What a check waited for when it failed is for the next one.
  let taking: Promise<boolean> | undefined;
  const take = async () => {
    const taken = await source.next();
    if (taken.done) return false;
    samples.push(taken.value);
    taking = undefined;
    return true;
  };
  return async function* () {
    yield { start };
    for (let k = 0; ; k += 1) {
      if (k === samples.length && !(await (taking ??= take()))) return;
      yield { samples: samples[k] };
    }
  };
}

async function checkOnce(
  check: Check,
  requests: Requests,
): Promise<TrajectoryCheck> {
  const { channel, limits, start } = check;
  const names = (start.tables ?? []).map((number) =>
    camelName(enumName(tableType, number)!),
  );
  const stream = channel.stream(METHODS.checkTrajectory, limits);
  const sending = Readable.from(requests());
  let failure: { error: unknown } | undefined;
  sending.on('error', (error) => {
    failure = { error };
    stream.cancel();
  });
  sending.pipe(stream as unknown as Duplex);
  try {
    let verdict: TrajectoryVerdict | undefined;
    let tables = new TableBuilder(0);
    for await (const message of stream) {
      const { progress, rows, verdict: wire } = message as WireCheckReply;
      if (progress) {
        const { samplesDone, samples } = progress;
        check.progress?.(toNumber(samplesDone), toNumber(samples));
      }
      if (wire) {
        verdict = view<TrajectoryVerdict>('TrajectoryVerdict', wire);
        tables = new TableBuilder(verdict.samples);
      }
      for (const name of rows ? names : []) {
        const array = rows![name];
        if (!array?.columns) continue;
        const count = countNumbers(array) / array.columns;
        tables.add(name, array, toNumber(rows!.firstSample), count);
      }
    }
    if (failure) throw failure.error;
    if (!verdict) throw brokenReply('the reply has no verdict');
    // Nothing travels of tables without columns: those of a robot without joints.
    const isEmpty = verdict.joints.length === 0;
    const whole = names.map((name) => [name, tables.table(name, isEmpty)]);
    check.progress?.(verdict.samples, verdict.samples);
    return { ...verdict, tables: Object.fromEntries(whole) };
  } catch (thrown) {
    limits.signal?.throwIfAborted();
    if (failure) throw failure.error;
    throw channel.failure(thrown);
  } finally {
    sending.unpipe().destroy();
    stream.cancel();
  }
}

/**
 * One check, begun anew where the limits allow it: what was taken from the
 * trajectory is kept until then. Throws TorquedError, the signal's reason, or
 * what the trajectory throws.
 */
export async function checkTrajectory(check: Check): Promise<TrajectoryCheck> {
  const source = messagesOf(check);
  const requests = keeping(check.start, source);
  let told = 0;
  const progress = (done: number, total: number) => {
    if (done <= told) return;
    told = done;
    check.progress?.(done, total);
  };
  try {
    return await untilDone(
      () => checkOnce({ ...check, progress }, requests),
      check.limits,
    );
  } finally {
    // Not waited for: it may be waiting for samples that never come.
    source.return().catch(() => {});
  }
}
