// A stream of chunks that the caller makes.

import type { QuantityName, States } from './contract.js';
import { numbered } from './errors.js';
import type { ChunkEvaluation } from './evaluation.js';
import {
  type Asked,
  EvaluationBuilder,
  type WireEcho,
} from './evaluation_builder.js';
import { exchange, type ExchangeSettings } from './exchange.js';
import { toNumber } from './message.js';
import type { WireChunk } from './numbers.js';
import { chunkOf, countStates, readStates, type StateShape } from './states.js';

/** Chunks of states, made as they are wanted. */
export type Chunks = AsyncIterable<States> | Iterable<States>;

async function* wireChunks(
  chunks: Chunks,
  shape: StateShape,
): AsyncGenerator<WireChunk, void, undefined> {
  let number = 0;
  for await (const states of chunks) {
    yield numbered('chunk', number, () => {
      const inputs = readStates(states, shape);
      return chunkOf(inputs, 0, countStates(inputs));
    });
    number += 1;
  }
}

/** One evaluation for each chunk, in order. */
export async function* evaluateChunks<Q extends QuantityName>(
  settings: ExchangeSettings,
  chunks: Chunks,
  shape: StateShape,
  asked: Asked,
): AsyncGenerator<ChunkEvaluation<Q>, void, undefined> {
  const source = wireChunks(chunks, shape);
  try {
    let firstRow = 0;
    let echo: WireEcho | null = null;
    for await (const { reply, streamFirst } of exchange(settings, source)) {
      echo = reply.echo ?? echo;
      const rows = toNumber(reply.rows);
      const builder = new EvaluationBuilder(asked, rows);
      builder.add(reply, echo, reply.timing, {
        first: 0,
        statusOffset: streamFirst,
        origin: firstRow,
      });
      yield { ...builder.build(), firstRow } as ChunkEvaluation<Q>;
      firstRow += rows;
    }
  } finally {
    // Not waited for: it may be waiting for a chunk that never comes.
    source.return().catch(() => {});
  }
}
