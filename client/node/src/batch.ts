// One computation over a batch of any size, as one call or as a stream.

import type { Channel } from './channel.js';
import { TorquedError } from './errors.js';
import type { EvaluationBase } from './evaluation.js';
import {
  type Asked,
  EvaluationBuilder,
  numbersPerRowOf,
  type WireReply,
} from './evaluation_builder.js';
import { exchange } from './exchange.js';
import { fewerRows, rowsPerMessage } from './message_rows.js';
import { toNumber } from './message.js';
import type { WireChunk } from './numbers.js';
import type { WireWhat } from './options.js';
import { METHODS } from './protocol.js';
import { type CallLimits, untilDone } from './retry.js';
import { chunkOf, countStates, type Inputs, numbersPerRow } from './states.js';

/** A batch and how it travels. */
export interface Batch {
  readonly channel: Channel;
  readonly limits: CallLimits;
  readonly what: WireWhat;
  readonly inputs: Inputs;
  readonly asked: Asked;
  /** Most states of one message. */
  readonly chunkRows: number;
  readonly maxMessageBytes: number;
  readonly progress: ((done: number, total: number) => void) | undefined;
}

async function inOneCall(batch: Batch, rows: number): Promise<EvaluationBase> {
  const { channel, limits, inputs, asked } = batch;
  const { tipWrenchReferenceFrame: referenceFrame, ...what } = batch.what;
  const { tipWrenchOnEnvironment: wrench, ...states } = chunkOf(
    inputs,
    0,
    rows,
  );
  const request = {
    ...what,
    ...states,
    ...(wrench ? { tipWrenchOnEnvironment: { wrench, referenceFrame } } : {}),
  };
  const reply = await untilDone(
    () => channel.unary<WireReply>(METHODS.compute, request, limits),
    limits,
  );
  // Without joints there is nothing to count states by: the server's word
  // counts.
  const builder = new EvaluationBuilder(asked, toNumber(reply.rows));
  builder.add(reply, reply.echo, reply.echo?.timing ?? null, {
    first: 0,
    statusOffset: 0,
    origin: 0,
  });
  const whole = builder.build();
  batch.progress?.(whole.rows, whole.rows);
  return whole;
}

function* ranges(
  inputs: Inputs,
  first: number,
  total: number,
  chunkRows: number,
): Iterator<WireChunk> & Iterable<WireChunk> {
  for (let row = first; row < total; row += chunkRows) {
    yield chunkOf(inputs, row, Math.min(chunkRows, total - row));
  }
}

async function inChunks(
  batch: Batch,
  total: number,
  chunkRows: number,
): Promise<EvaluationBase> {
  const { channel, limits, what, inputs, asked } = batch;
  const builder = new EvaluationBuilder(asked, total);
  const done = { rows: 0, chunks: 0 };
  const settings = { channel, limits, what };
  let rowsAtATime = chunkRows;
  while (true) {
    try {
      const chunks = ranges(inputs, done.rows, total, rowsAtATime);
      for await (const answer of exchange(settings, chunks, done)) {
        const { reply } = answer;
        builder.add(reply, reply.echo, reply.timing, {
          first: done.rows,
          statusOffset: answer.streamFirst,
          origin: 0,
        });
        done.rows += toNumber(reply.rows);
        done.chunks += 1;
        batch.progress?.(done.rows, total);
      }
      return builder.build();
    } catch (error) {
      const sent = Math.min(rowsAtATime, total - done.rows);
      const fewer =
        error instanceof TorquedError ? fewerRows(error, sent) : undefined;
      if (fewer === undefined) throw error;
      rowsAtATime = fewer;
    }
  }
}

/**
 * By one call where the states fit into one message, otherwise through a
 * stream; the numbers are the same. What the server refuses for its size goes on
 * in smaller chunks.
 */
export async function computeBatch(batch: Batch): Promise<EvaluationBase> {
  const { inputs, asked } = batch;
  const rows = countStates(inputs);
  const numbers = Math.max(numbersPerRow(inputs), numbersPerRowOf(asked));
  const fitting = Math.min(
    batch.chunkRows,
    rowsPerMessage(numbers, batch.maxMessageBytes),
  );
  if (rows > fitting) return inChunks(batch, rows, fitting);
  try {
    return await inOneCall(batch, rows);
  } catch (error) {
    const fewer =
      error instanceof TorquedError ? fewerRows(error, rows) : undefined;
    if (fewer === undefined) throw error;
    return inChunks(batch, rows, fewer);
  }
}
