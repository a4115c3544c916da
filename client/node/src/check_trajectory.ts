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
import type { Matrix } from './matrix.js';
import { camelName, enumName, fill, toNumber, view } from './message.js';
import { type CallOptions, SHARED_NAMES, wireOptions } from './options.js';
import { enumType, METHODS } from './protocol.js';
import { type CallLimits, untilDone } from './retry.js';
import { countNumbers, TableBuilder, type WireArray } from './tables.js';
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
  readonly shape: SampleShape;
  readonly progress: ((done: number, total: number) => void) | undefined;
}

const tableType = enumType('TrajectoryTable');

// Takes the replies to one check in order.
class CheckBuilder {
  readonly #names: readonly string[];
  #verdict: TrajectoryVerdict | undefined;
  #tables = new TableBuilder(0);

  constructor({ start: { tables = [] } }: Check) {
    this.#names = tables.map((number) =>
      camelName(enumName(tableType, number)!),
    );
  }

  add({ verdict, rows }: WireCheckReply): void {
    if (verdict) {
      this.#verdict = view<TrajectoryVerdict>('TrajectoryVerdict', verdict);
      this.#tables = new TableBuilder(this.#verdict.samples);
    }
    for (const name of rows ? this.#names : []) {
      const array = rows![name];
      if (!array?.columns) continue;
      const count = countNumbers(array) / array.columns;
      this.#tables.add(name, array, toNumber(rows!.firstSample), count);
    }
  }

  build(): TrajectoryCheck {
    if (!this.#verdict) throw brokenReply('the reply has no verdict');
    // Nothing travels of tables without columns: those of a robot without joints.
    const isEmpty = this.#verdict.joints.length === 0;
    const tables = this.#names.map((name) => [
      name,
      this.#tables.table(name, isEmpty),
    ]);
    return { ...this.#verdict, tables: Object.fromEntries(tables) };
  }
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
  start: WireStart,
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
    for await (const message of stream) {
      const reply = message as WireCheckReply;
      builder.add(reply);
      if (!reply.progress) continue;
      const { samplesDone, samples } = reply.progress;
      check.progress?.(toNumber(samplesDone), toNumber(samples));
    }
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
