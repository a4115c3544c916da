// Chunks out, replies in: streams of Evaluate that go on where one was
// interrupted.

import type { Channel } from './channel.js';
import { brokenReply, TorquedError } from './errors.js';
import type { WireEvaluateReply } from './evaluation_builder.js';
import { toNumber } from './message.js';
import type { WireChunk } from './numbers.js';
import type { WireWhat } from './options.js';
import { METHODS } from './protocol.js';
import { type CallLimits, RetrySchedule } from './retry.js';
import { Sender, type Source, Unanswered } from './sending.js';

/** Chunks that are sent before the first of them is answered: more than the
 * server reads ahead, so that it never waits for us. */
export const SEND_AHEAD = 16;

/** One reply, and where its stream began. */
export interface Answer {
  readonly reply: WireEvaluateReply;
  /** Row of the whole exchange that is row 0 of the stream. */
  readonly streamFirst: number;
}

/** Where an exchange begins: rows and chunks that were answered before it. */
export interface Progressed {
  rows: number;
  chunks: number;
}

/** What is common to the streams of one exchange. */
export interface ExchangeSettings {
  readonly channel: Channel;
  readonly limits: CallLimits;
  readonly what: WireWhat;
}

// Moves the rows and chunks that the server counts from the start of its
// stream.
function countedFromStart(error: unknown, before: Progressed): unknown {
  if (!(error instanceof TorquedError) || before.rows === 0) return error;
  const metadata = { ...error.metadata };
  const move = (key: string, by: number) => {
    const number = Number(metadata[key] ?? NaN);
    if (Number.isSafeInteger(number)) metadata[key] = String(number + by);
  };
  move('row', before.rows);
  move('next_row', before.rows);
  move('chunk', before.chunks);
  return error.withMetadata(
    `${error.message} (in the stream from row ${before.rows} on)`,
    metadata,
  );
}

/**
 * Yields one reply for each chunk, in order. A stream that fails is followed by
 * another one, from the first chunk without a reply, where the limits allow it.
 * At most SEND_AHEAD chunks are taken from `source` ahead of the replies that
 * the caller has used. Throws TorquedError otherwise, with rows and chunks
 * counted from the start of the exchange, or the signal's reason, or what the
 * source throws.
 */
export async function* exchange(
  { channel, limits, what }: ExchangeSettings,
  source: Source<WireChunk>,
  begin: Progressed = { rows: 0, chunks: 0 },
): AsyncGenerator<Answer, void, undefined> {
  const unanswered = new Unanswered(source);
  const schedule = new RetrySchedule(limits);
  const done = { ...begin };
  const isComplete = () =>
    done.chunks > begin.chunks &&
    unanswered.complete &&
    unanswered.messages.length === 0;

  while (true) {
    const before = { ...done };
    const stream = channel.stream(METHODS.evaluate, limits);
    const sender = new Sender(stream, unanswered, {
      room: SEND_AHEAD,
      wrap: (chunk) => ({ chunk }),
    });
    void sender.run(what);
    try {
      for await (const message of stream) {
        const reply = message as WireEvaluateReply;
        checkTurn(reply, done.rows - before.rows, unanswered.messages.length);
        unanswered.messages.shift();
        done.rows += toNumber(reply.rows);
        done.chunks += 1;
        schedule.answered();
        yield { reply, streamFirst: before.rows };
        sender.answered();
      }
      if (sender.failure) throw sender.failure.error;
      if (unanswered.complete && unanswered.messages.length === 0) return;
      throw brokenReply(`the stream ended after ${done.rows} rows`);
    } catch (thrown) {
      limits.signal?.throwIfAborted();
      if (sender.failure) throw sender.failure.error;
      if (isComplete()) return;
      const error = countedFromStart(channel.failure(thrown), before);
      await schedule.wait(error);
    } finally {
      sender.stop();
      stream.cancel();
    }
  }
}

function checkTurn(
  reply: WireEvaluateReply,
  row: number,
  unanswered: number,
): void {
  if (unanswered === 0) {
    throw brokenReply('there are more replies than were asked for');
  }
  if (toNumber(reply.firstRow) !== row) {
    throw brokenReply(
      `the reply begins with row ${toNumber(reply.firstRow)} of the stream, ` +
        `${row} was its turn`,
    );
  }
}
