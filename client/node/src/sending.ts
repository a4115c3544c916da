// What goes out over a stream, and what of it may have to go out again.

import type { Stream } from './channel.js';

/** The messages, one at a time; none is taken twice. */
export type Source<Message> = AsyncIterator<Message> | Iterator<Message>;

/** Messages that were taken from the source and not answered, oldest first. */
export class Unanswered<Message> {
  readonly messages: Message[] = [];
  /** The source has ended. */
  complete = false;
  readonly #source: Source<Message>;
  // A message that a stream waited for when it ended is for the next one.
  #taking: Promise<IteratorResult<Message>> | undefined;

  constructor(source: Source<Message>) {
    this.#source = source;
  }

  /** Undefined where the source has ended, or nothing is wanted any more. */
  async take(isWanted: () => boolean): Promise<Message | undefined> {
    if (this.complete) return undefined;
    this.#taking ??= Promise.resolve(this.#source.next());
    const taken = await this.#taking;
    if (!isWanted()) return undefined;
    this.#taking = undefined;
    if (taken.done) {
      this.complete = true;
      return undefined;
    }
    this.messages.push(taken.value);
    return taken.value;
  }
}

/** How messages are sent. */
export interface Sending<Message> {
  /** Messages that may go out before the first of them is answered. */
  readonly room: number;
  /** A message as it is written. */
  readonly wrap: (message: Message) => object;
}

/** What goes out over one stream, beside what comes in: what was taken before,
 * then what the source has. */
export class Sender<Message> {
  /** Of the source: it cancels the stream. */
  failure: { error: unknown } | undefined;
  readonly #stream: Stream;
  readonly #unanswered: Unanswered<Message>;
  readonly #wrap: (message: Message) => object;
  #room: number;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(
    stream: Stream,
    unanswered: Unanswered<Message>,
    { room, wrap }: Sending<Message>,
  ) {
    this.#stream = stream;
    this.#unanswered = unanswered;
    this.#room = room;
    this.#wrap = wrap;
    stream.on('drain', () => this.#awake());
  }

  async run(start: object): Promise<void> {
    try {
      this.#stream.write({ start });
      for (const message of [...this.#unanswered.messages]) {
        await this.#send(message);
      }
      while (!this.#ended) {
        await this.#until(() => this.#room > 0);
        const message = await this.#unanswered.take(() => !this.#ended);
        if (message === undefined) break;
        await this.#send(message);
      }
      if (!this.#ended) this.#stream.end();
    } catch (error) {
      this.failure = { error };
      this.#stream.cancel();
    }
  }

  /** The reply to a message is used up. */
  answered(): void {
    this.#room += 1;
    this.#awake();
  }

  /** Nothing more is to be sent. */
  stop(): void {
    this.#ended = true;
    this.#awake();
  }

  async #send(message: Message): Promise<void> {
    if (this.#ended) return;
    this.#room -= 1;
    if (!this.#stream.write(this.#wrap(message))) {
      await this.#until(() => !this.#stream.writableNeedDrain);
    }
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!this.#ended && !holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #awake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
