// Checks of whole trajectories.

import { type Duplex, Readable } from 'node:stream';
import type { Channel } from './channel.js';
import {
  type CheckFields,
  INPUTS,
  type States,
  type TrajectoryTable,
  type TrajectoryVerdict,
} from './contract.js';
import { TorquedError } from './errors.js';
import { addRows, Matrix, type WireArray, zeros } from './matrix.js';
import { camelName, enumName, toNumber, view, wrongKind } from './message.js';
import { type CallOptions, SHARED_NAMES, wireOptions } from './options.js';
import { enumType, messageType, METHODS } from './protocol.js';
import { type CallLimits, untilDone } from './retry.js';
import {
  chunkOf,
  countRows,
  type InputShape,
  type JointRows,
  readInputs,
  type Rows,
} from './rows_input.js';

/** Samples of a motion, one row per sample, in the forms of `States`. v and a may
 * both be absent where `derive` of the options says how they follow from q; the
 * wrench may have one row for all. Leave the arrays as they are until the check is
 * done: they are sent without a copy, and again if it has to start again. */
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
  /** Report the operational space along the path, as `axes` and other options
   * describe it. */
  task?: boolean;
  /** Called while the server computes. A check that begins again calls it
   * once it is as far as before. */
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
  readonly model: string;
  readonly tables?: readonly number[];
}

const { model, options, operationalSpace, ...own } = messageType(
  'CheckTrajectoryStart',
).fields;
const START_NAMES = [...SHARED_NAMES, ...Object.keys(own), 'task'];

/** Throws for an unknown option. */
export function wireStart(model: string, options: CheckOptions): WireStart {
  const start = wireOptions('CheckTrajectoryStart', options, START_NAMES);
  if (options.task) start.operationalSpace ??= {};
  return { model, ...start };
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
  readonly payloadBytes: number;
  readonly progress: ((done: number, total: number) => void) | undefined;
}

type Messages = AsyncGenerator<object, void, undefined>;

const tableType = enumType('TrajectoryTable');
const WRENCH = 'tipWrenchOnEnvironment';
const { q, v, a, [WRENCH]: wrench } = INPUTS;
const SAMPLES = { time: '1', q, v, a, [WRENCH]: wrench };

function* messagesOfPart(
  samples: TrajectorySamples,
  { shape, payloadBytes }: Check,
): Generator<object, void, undefined> {
  const given = { ...readInputs(samples, 'samples.', SAMPLES, shape) };
  const total = countRows(given, 'samples.', (name) => name === WRENCH);
  const once = given[WRENCH];
  if (once && once.rows !== total) {
    given[WRENCH] = Matrix.from(Array(total).fill(once.data));
  }
  const numbers = Object.values(given).reduce(
    (n, { columns }) => n + columns,
    0,
  );
  const atATime = Math.max(1, Math.floor(payloadBytes / (8 * numbers)));
  for (let first = 0; first < total; first += atATime) {
    yield chunkOf(given, first, Math.min(atATime, total - first));
  }
}

// Made as they are wanted. Throws TorquedError for other input than a table of numbers,
// and the errors of the trajectory.
async function* messagesOf(check: Check): Messages {
  const { trajectory } = check;
  if (typeof trajectory !== 'object' || trajectory === null) {
    throw wrongKind('samples', trajectory, 'an object');
  }
  const isParts =
    Symbol.asyncIterator in trajectory || Symbol.iterator in trajectory;
  if (!isParts) return yield* messagesOfPart(trajectory, check);
  let part = 0;
  for await (const samples of trajectory) {
    try {
      yield* messagesOfPart(samples, check);
    } catch (error) {
      if (!(error instanceof TorquedError)) throw error;
      const place = { part: String(part) };
      throw error.with(`part ${part}: ${error.message}`, place);
    }
    part += 1;
  }
}

async function checkOnce(
  { channel, limits, start, progress: tell }: Check,
  requests: Messages,
): Promise<TrajectoryCheck> {
  const names = (start.tables ?? []).map((number) =>
    camelName(enumName(tableType, number)!),
  );
  const stream = channel.stream(METHODS.checkTrajectory, limits);
  const sending = Readable.from(requests);
  let failure: { error: unknown } | undefined;
  sending.on('error', (error) => {
    failure = { error };
    stream.cancel();
  });
  sending.pipe(stream as unknown as Duplex);
  try {
    let verdict: TrajectoryVerdict | undefined;
    const tables: Record<string, Matrix> = {};
    for await (const message of stream) {
      const { progress, rows, verdict: wire } = message as WireCheckReply;
      if (progress) {
        tell?.(toNumber(progress.samplesDone), toNumber(progress.samples));
      }
      if (wire) verdict = view<TrajectoryVerdict>('TrajectoryVerdict', wire);
      for (const name of rows ? names : []) {
        const array = rows![name];
        if (!array?.columns) continue;
        tables[name] ??= zeros(verdict!.samples, array.columns);
        addRows(tables[name], array, toNumber(rows!.firstSample));
      }
    }
    if (failure) throw failure.error;
    const { samples } = verdict!;
    // Nothing travels of tables without columns: those of a robot without joints.
    for (const name of names) tables[name] ??= zeros(samples, 0);
    tell?.(samples, samples);
    return { ...verdict!, tables };
  } catch (thrown) {
    limits.signal?.throwIfAborted();
    if (failure) throw failure.error;
    throw channel.failure(thrown);
  } finally {
    sending.unpipe().destroy();
    stream.cancel();
  }
}

/** One check, started again if the limits allow it: it keeps the samples that it took
 * from the trajectory until then. Throws TorquedError, the signal's reason, or what the
 * trajectory throws. */
export async function checkTrajectory(check: Check): Promise<TrajectoryCheck> {
  const source = messagesOf(check);
  // The part that a failed try still waits for is used by the next one.
  const taken: Promise<IteratorResult<object, void>>[] = [];
  async function* requests(): Messages {
    yield { start: check.start };
    for (let k = 0; ; k += 1) {
      const samples = (await (taken[k] ??= source.next())).value;
      if (!samples) return;
      yield { samples };
    }
  }
  let told = 0;
  const progress = (done: number, total: number) => {
    if (done > told) check.progress?.((told = done), total);
  };
  try {
    return await untilDone(
      () => checkOnce({ ...check, progress }, requests()),
      check.limits,
    );
  } finally {
    // Not waited for: it may be waiting for samples that never come.
    source.return().catch(() => {});
  }
}
