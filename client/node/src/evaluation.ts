// One computation over a batch of any size, in one or several calls, and what comes
// out of it.

import type { Channel } from './channel.js';
import {
  type Echo,
  type QuantityName,
  type QuantityResults,
  RESULT_TABLES,
  type RowStatus,
} from './contract.js';
import { TorquedError } from './errors.js';
import { addRows, type Matrix, type WireArray, zeros } from './matrix.js';
import { enumName, toNumber, view } from './message.js';
import type { WireWhat } from './options.js';
import { enumType, messageType, METHODS } from './protocol.js';
import { type CallLimits, untilDone } from './retry.js';
import {
  chunkOf,
  countOf,
  countRows,
  type Inputs,
  heightOf,
  type Sizes,
} from './rows_input.js';

/** Members of every result. */
export interface EvaluationBase {
  /** Number of states. */
  readonly rows: number;
  /** One byte per state: 1 where it is OK, 0 where `rowStatus` says why not. */
  readonly ok: Uint8Array;
  /** Rows that are not OK, ascending. */
  readonly rowStatus: readonly RowStatus[];
  /** How many those are. */
  readonly rowsNotOk: number;
  /** The echo of the first part. */
  readonly echo: Echo;
}

type Intersection<Union> = (
  Union extends unknown ? (each: Union) => void : never
) extends (all: infer All) => void
  ? All
  : never;

/** The results of the quantities `Q` for all states. */
export type Evaluation<Q extends QuantityName = never> = EvaluationBase &
  ([Q] extends [never] ? unknown : Intersection<QuantityResults[Q]>);

/** Bytes of rows in a message beyond which larger ones are not faster. */
export const GOOD_BYTES = 1024 * 1024;
/** Calls in flight at a time. */
const WINDOW = 8;
/** Statuses that a reply lists at most. */
const LISTED_ROWS = 1000;

/** Limits of a call. */
export interface SizeLimits {
  readonly rows: number;
  readonly payloadBytes: number;
}

/** A batch and how it travels. */
export interface Batch {
  readonly channel: Channel;
  readonly limits: CallLimits;
  readonly sizes: SizeLimits;
  readonly what: WireWhat;
  readonly inputs: Inputs;
  readonly quantities: readonly QuantityName[];
  /** The numbers behind the words of a result's shape. */
  readonly shapeSizes: Sizes;
  readonly progress: ((done: number, total: number) => void) | undefined;
}

/** States of one call. */
interface Part {
  readonly first: number;
  readonly rows: number;
}

function cut({ first, rows }: Part, atATime: number): Part[] {
  const length = Math.ceil(rows / atATime);
  return Array.from({ length }, (_, k) => ({
    first: first + k * atATime,
    rows: Math.min(atATime, rows - k * atATime),
  }));
}

function rowsPerCall({ sizes, ...batch }: Batch): number {
  const received = batch.quantities
    .flatMap((quantity) => Object.values(RESULT_TABLES[quantity]))
    .reduce((sum, shape) => sum + countOf(shape, batch.shapeSizes), 0);
  const sent = Object.values(batch.inputs)
    .filter(({ rows }) => rows > 1)
    .reduce((sum, { columns }) => sum + columns, 0);
  const rows = sizes.payloadBytes / (8 * Math.max(sent, received, 1));
  return Math.min(Math.max(Math.floor(rows), 1), sizes.rows);
}

/** A reply of Compute, as decoded. */
interface WireReply {
  rows: unknown;
  results: Record<string, WireArray | number[]> | null;
  rowStatus: object[];
  rowsNotOk: unknown;
  echo: Uint8Array;
}

/** The result to which the replies to a batch are joined. */
type Whole = {
  -readonly [Name in keyof EvaluationBase]: EvaluationBase[Name];
} & {
  readonly rowStatus: RowStatus[];
  [result: string]: unknown;
};

// The echo is decoded where it is read; a spread and JSON.stringify read it as well.
function emptyWhole(rows: number, bytes: Uint8Array): Whole {
  let echo: Echo | undefined;
  return {
    rows,
    ok: new Uint8Array(rows).fill(1),
    rowStatus: [],
    rowsNotOk: 0,
    get echo() {
      return (echo ??= view<Echo>('Echo', messageType('Echo').decode(bytes)));
    },
  };
}

function addReply(
  whole: Whole,
  { quantities, shapeSizes }: Batch,
  reply: WireReply,
  part: Part,
): void {
  for (const quantity of quantities) {
    for (const [name, shape] of Object.entries(RESULT_TABLES[quantity])) {
      const result = reply.results?.[name];
      if (Array.isArray(result)) {
        addList(whole, name, result, part);
      } else if (result) {
        const height = heightOf(shape, shapeSizes);
        whole[name] ??= zeros(whole.rows, result.columns, height);
        addRows(whole[name] as Matrix, result, part.first);
      }
    }
  }
  for (const wire of reply.rowStatus) {
    const status = view<RowStatus>('RowStatus', wire);
    const row = status.row + part.first;
    whole.ok[row] = 0;
    whole.rowStatus.push({ ...status, row });
  }
  whole.rowsNotOk += toNumber(reply.rowsNotOk);
}

// Results of one number a state; empty if they were not asked for.
function addList(
  whole: Whole,
  name: string,
  list: number[],
  { first }: Part,
): void {
  if (list.length === 0) return;
  const { type } = messageType('Results').fields[name]!;
  const isEnum = type !== 'double' && type !== 'uint32';
  const Numbers = type === 'double' ? Float64Array : Uint32Array;
  const joined = (whole[name] ??= new (isEnum ? Array : Numbers)(
    whole.rows,
  )) as unknown[];
  list.forEach((number, k) => {
    joined[first + k] = isEnum ? enumName(enumType(type), number) : number;
  });
}

// The server counts rows from the start of its call.
function countedFromStart(error: unknown, { first }: Part): unknown {
  if (!(error instanceof TorquedError) || error.row === undefined) return error;
  const row = String(first + error.row);
  const words = new RegExp(`\\b([Rr]ow) ${error.row}\\b`);
  return error.with(error.message.replace(words, `$1 ${row}`), { row });
}

async function answerTo(
  { what, inputs, channel }: Batch,
  limits: CallLimits,
  part: Part,
): Promise<WireReply> {
  const states: Record<string, object> = chunkOf(inputs, part.first, part.rows);
  const wrench = states['tipWrenchOnEnvironment'];
  if (wrench) {
    const referenceFrame = what.tipWrenchReferenceFrame;
    states['tipWrenchOnEnvironment'] = { wrench, referenceFrame };
  }
  const request = Object.assign(states, what);
  const attempt = (): Promise<WireReply> => {
    const { deadline } = limits;
    const reply = channel.unary<WireReply>(METHODS.compute, request, limits);
    return reply.catch((error) => {
      const isLate = error?.code === 'DEADLINE_EXCEEDED';
      // Others have been answered since.
      if (isLate && deadline < limits.deadline) return attempt();
      throw error;
    });
  };
  return untilDone(attempt, limits).catch((error) => {
    throw countedFromStart(error, part);
  });
}

/** Some parts are asked for ahead; they are joined in the order of their rows. The
 * deadline is until another one is answered. */
export async function computeBatch(batch: Batch): Promise<EvaluationBase> {
  const { inputs, progress } = batch;
  const { signal } = batch.limits;
  const total = countRows(inputs, '');
  const patienceMs = batch.limits.deadline - Date.now();
  const all = { first: 0, rows: total };
  const parts = total > 1 ? cut(all, rowsPerCall(batch)) : [all];
  // A single call ends by itself.
  const over = parts.length > 1 ? new AbortController() : undefined;
  const abort = () => over?.abort(signal?.reason);
  const limits = { ...batch.limits, signal: over?.signal ?? signal };

  let whole: Whole | undefined;
  const join = async (part: Part, reply: WireReply): Promise<void> => {
    limits.deadline = Date.now() + patienceMs;
    const unlisted = toNumber(reply.rowsNotOk) - reply.rowStatus.length;
    if (unlisted > 0 && part.rows > LISTED_ROWS) {
      for (const again of cut(part, LISTED_ROWS)) {
        await join(again, await answerTo(batch, limits, again));
      }
      return;
    }
    // Without joints there is nothing to count states by: the server's word
    // counts.
    const rows = total > 0 ? part.rows : toNumber(reply.rows);
    // Copied out of the reply, which takes many times its memory.
    whole ??= emptyWhole(total || rows, Buffer.from(reply.echo));
    addReply(whole, batch, reply, { first: part.first, rows });
    progress?.(part.first + rows, total || rows);
  };

  signal?.throwIfAborted();
  if (over) signal?.addEventListener('abort', abort, { once: true });
  try {
    const sent: Promise<WireReply>[] = [];
    let next = 0;
    for (const part of parts) {
      for (; next < parts.length && sent.length < WINDOW; next += 1) {
        const reply = answerTo(batch, limits, parts[next]!);
        reply.catch(() => {}); // It is told in its turn.
        sent.push(reply);
      }
      await join(part, await sent.shift()!);
    }
    return whole!;
  } finally {
    signal?.removeEventListener('abort', abort);
    over?.abort();
  }
}
