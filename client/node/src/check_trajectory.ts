// Checks of whole trajectories.

import { type Duplex, Readable } from 'node:stream';
import type { Channel } from './channel.js';
import {
  CHECK_FIELDS,
  type CheckFields,
  type TrajectoryTable,
  type TrajectoryVerdict,
} from './contract.js';
import { brokenReply } from './errors.js';
import { Matrix } from './matrix.js';
import { camelName, enumName, fill, toNumber, view } from './message.js';
import { checkRows, copyNumbers, type WireArray } from './numbers.js';
import {
  CALL_NAMES,
  type CallOptions,
  checkedProgress,
  wireOptions,
} from './options.js';
import { enumType, METHODS } from './protocol.js';
import { type CallLimits, untilDone } from './retry.js';
import {
  messagesOf,
  type SampleShape,
  type Trajectory,
  type WireSamples,
} from './trajectory_samples.js';

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

/** CheckTrajectoryStart. Throws for what is no option. */
export function wireStart(model: string, options: CheckOptions): object {
  const own = Object.fromEntries(
    CHECK_FIELDS.map((name) => [name, options[name]]),
  );
  checkedProgress(options.progress);
  const { operationalSpace, ...rest } = wireOptions(options, [
    ...CALL_NAMES,
    ...CHECK_FIELDS,
    'task',
    'progress',
  ]);
  return {
    model,
    ...rest,
    ...(options.task ? { operationalSpace } : {}),
    ...fill('CheckTrajectoryStart', own, 'start'),
  };
}

/** Names of the tables that were asked for as fields of the reply. */
export function tableNames(start: object): string[] {
  const { tables = [] } = start as { tables?: number[] };
  const type = enumType('TrajectoryTable');
  return tables.map((number) => camelName(enumName(type, number)!));
}

interface WireCheckReply {
  progress: { samplesDone: unknown; samples: unknown } | null;
  verdict: { echo: object | null } | null;
  rows: (Record<string, WireArray | null> & { firstSample: unknown }) | null;
}

/** A check and how it travels. */
export interface Check {
  readonly channel: Channel;
  readonly limits: CallLimits;
  readonly start: object;
  readonly trajectory: Trajectory;
  readonly shape: SampleShape;
  readonly tables: readonly string[];
  readonly progress: ((done: number, total: number) => void) | undefined;
}

// The tables that are not of joints.
const ONE_COLUMN: ReadonlySet<string> = new Set(['sigmaMin', 'condition']);

// Takes the replies to one check in order.
class CheckBuilder {
  readonly #check: Check;
  readonly #tables = new Map<string, Matrix>();
  readonly #rows = new Map<string, number>();
  #verdict: TrajectoryVerdict | undefined;

  constructor(check: Check) {
    this.#check = check;
  }

  add({ progress, verdict, rows }: WireCheckReply): void {
    if (progress) {
      const { samplesDone, samples } = progress;
      this.#check.progress?.(toNumber(samplesDone), toNumber(samples));
    }
    if (verdict) {
      if (!verdict.echo) throw brokenReply('the verdict has no echo');
      this.#verdict = view<TrajectoryVerdict>('TrajectoryVerdict', verdict);
      if (this.#verdict.joints.length === 0) {
        this.#addTablesWithoutColumns(this.#verdict.samples);
      }
    }
    if (rows) this.#addRows(rows);
  }

  build(): TrajectoryCheck {
    if (!this.#verdict) throw brokenReply('the reply has no verdict');
    const { samples } = this.#verdict;
    for (const name of this.#check.tables) {
      const rows = this.#rows.get(name) ?? 0;
      if (rows !== samples) {
        throw brokenReply(
          `the reply's ${name} has ${rows} rows of ${samples} samples`,
        );
      }
    }
    return { ...this.#verdict, tables: Object.fromEntries(this.#tables) };
  }

  // A robot without joints: nothing of these tables travels.
  #addTablesWithoutColumns(samples: number): void {
    for (const name of this.#check.tables) {
      if (ONE_COLUMN.has(name)) continue;
      this.#tables.set(name, new Matrix(new Float64Array(0), samples, 0));
      this.#rows.set(name, samples);
    }
  }

  #addRows(rows: NonNullable<WireCheckReply['rows']>): void {
    if (!this.#verdict) throw brokenReply('there are rows before the verdict');
    const total = this.#verdict.samples;
    for (const name of this.#check.tables) {
      const array = rows[name];
      if (!array) continue;
      if (this.#tables.get(name)?.columns === 0) {
        checkRows(array, 0, name);
        continue;
      }
      const first = this.#rows.get(name) ?? 0;
      if (toNumber(rows.firstSample) !== first) {
        throw brokenReply(
          `the reply's ${name} goes on with sample ` +
            `${toNumber(rows.firstSample)}, ${first} was its turn`,
        );
      }
      const { columns } = array;
      const table =
        this.#tables.get(name) ??
        new Matrix(new Float64Array(total * columns), total, columns);
      this.#tables.set(name, table);
      const count = countRows(array, total - first, table, name);
      copyNumbers(array, table.data, first * columns);
      this.#rows.set(name, first + count);
    }
  }
}

// Throws unless the array has whole rows, at most so many.
function countRows(
  array: WireArray,
  most: number,
  table: Matrix,
  name: string,
): number {
  const bytes = array.f64.length || 2 * array.f32.length;
  const numbers = bytes / 8 || array.values.length;
  const count = Math.floor(numbers / Math.max(array.columns, 1));
  checkRows(array, count, name);
  if (count > most || array.columns !== table.columns) {
    throw brokenReply(`the reply's ${name} has rows that were not asked for`);
  }
  return count;
}

// Samples of a source, kept for a check that begins anew.
class Kept {
  readonly #source: AsyncIterator<WireSamples>;
  readonly #messages: WireSamples[] = [];
  // What a check waited for when it failed is for the next one.
  #taking: Promise<boolean> | undefined;

  constructor(source: AsyncIterator<WireSamples>) {
    this.#source = source;
  }

  async *all(): AsyncGenerator<WireSamples, void, undefined> {
    for (let k = 0; ; k += 1) {
      if (k === this.#messages.length) {
        this.#taking ??= this.#take();
        if (!(await this.#taking)) return;
      }
      yield this.#messages[k]!;
    }
  }

  async #take(): Promise<boolean> {
    const taken = await this.#source.next();
    if (taken.done) return false;
    this.#messages.push(taken.value);
    this.#taking = undefined;
    return true;
  }
}

async function* requests(
  start: object,
  samples: Kept,
): AsyncGenerator<object, void, undefined> {
  yield { start };
  for await (const message of samples.all()) yield { samples: message };
}

async function checkOnce(
  check: Check,
  samples: Kept,
): Promise<TrajectoryCheck> {
  const { channel, limits } = check;
  const stream = channel.stream(METHODS.checkTrajectory, limits);
  const sending = Readable.from(requests(check.start, samples));
  let failure: { error: unknown } | undefined;
  sending.on('error', (error) => {
    failure = { error };
    stream.cancel();
  });
  sending.pipe(stream as unknown as Duplex);
  try {
    const builder = new CheckBuilder(check);
    for await (const reply of stream) builder.add(reply as WireCheckReply);
    if (failure) throw failure.error;
    return builder.build();
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
  const source = messagesOf(check.trajectory, check.shape);
  const samples = new Kept(source);
  let told = 0;
  const progress = (done: number, total: number) => {
    if (done <= told) return;
    told = done;
    check.progress?.(done, total);
  };
  try {
    return await untilDone(
      () => checkOnce({ ...check, progress }, samples),
      check.limits,
    );
  } finally {
    // Not waited for: it may be waiting for samples that never come.
    source.return().catch(() => {});
  }
}
