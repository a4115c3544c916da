// The client of a torqued server.

import { Channel } from './channel.js';
import type {
  GetServerInfoReply,
  ModelInfo,
  ModelSummary,
  RegisterModelReply,
  RegistrationOptions,
  ValidateModelReply,
} from './contract.js';
import { TorquedError, withFaults } from './errors.js';
import { GOOD_BYTES, type SizeLimits } from './evaluation.js';
import { checkKind, checkNames, fill, view, wrongKind } from './message.js';
import { CALL_NAMES, type CallOptions } from './options.js';
import { messageType, type Method, METHODS } from './protocol.js';
import { type CallLimits, sleep, untilDone, type Waiting } from './retry.js';
import { Robot } from './robot.js';
import { securityOf, type SecurityOptions, withPort } from './security.js';

const DEADLINE_MS = 30_000;
// Decades, beyond which gRPC throws outside of all calls.
const LONGEST_MS = 1e12;
const CONNECT_AGAIN_MS = 50;

/** How a client connects and calls. */
export interface ConnectOptions extends SecurityOptions {
  /** Milliseconds for each call, all retries included, unless the call has its
   * own; of a large batch, until another part of it is answered. Absent: 30 000. */
  deadlineMs?: number;
  /** How long `connect` keeps trying a server that does not answer. Absent: the
   * first refused connection is final. */
  waitForServerMs?: number;
  /** Try again what failed in passing (docs/grpc.md). Absent: true. */
  retry?: boolean;
  /** Told before each wait for another try. */
  onRetry?: Waiting;
}

const NAMES = (
  'deadlineMs waitForServerMs retry onRetry ' +
  'tlsCa tlsCert tlsKey tlsServerName token tokenFile'
).split(' ');

/** How a description becomes a model; part of its revision. All may be absent. */
export type UrdfOptions = Partial<RegistrationOptions>;

/** Options of a registration. */
export interface RegisterOptions extends UrdfOptions {
  /** A second name for this revision: "panda@label". */
  label?: string;
  /** The source of the text: errors call it so instead of "source". */
  file?: string;
  /** The name moves or goes only if this is its current revision ("": it does not
   * exist yet); REVISION_CONFLICT otherwise. */
  expectedCurrent?: string;
}

/** Options of `deleteModel`. */
export type DeleteOptions = Pick<RegisterOptions, 'expectedCurrent'>;

const URDF_NAMES = [
  ...Object.keys(messageType('RegistrationOptions').fields),
  ...CALL_NAMES,
];
const REGISTER_NAMES = [...URDF_NAMES, 'label', 'expectedCurrent', 'file'];

/** The result of a registration. */
export interface Registration extends RegisterModelReply {
  readonly model: ModelInfo;
  /** The model, at the revision that was registered. */
  readonly robot: Robot;
}

/**
 * Connects to a server. `address` is "host" (port 7421), "host:port",
 * "tls:host:port", "unix:/path" or what gRPC takes with a scheme of its own
 * ("dns:", "ipv4:"). Rejects with TorquedError if no server or another one
 * answers, and for options that do not fit the address (INVALID_OPTION).
 */
export async function connect(
  address: string,
  options: ConnectOptions = {},
): Promise<Client> {
  const client = new Client(address, options);
  const end = Date.now() + (options.waitForServerMs ?? 0);
  while (true) {
    try {
      await client.serverInfo({ retry: false });
      return client;
    } catch (error) {
      if (!(error instanceof TorquedError)) throw error;
      const { code, reason, message } = error;
      // A server of ours knows the call, and gives a reason if it refuses it.
      if (reason !== '') return client;
      const isSilent = code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED';
      if (!isSilent || Date.now() >= end) {
        client.close();
        const what = isSilent
          ? 'no connection to'
          : 'no torqued server answers at';
        const why = `${what} ${client.address}: ${message || code}`;
        throw new TorquedError(code, why);
      }
    }
    await sleep(CONNECT_AGAIN_MS);
  }
}

/** One connection, to be shared by all of a program. Made by `connect`. */
export class Client {
  readonly address: string;
  readonly #channel: Channel;
  readonly #options: ConnectOptions;
  #sizes: SizeLimits = { rows: Infinity, payloadBytes: GOOD_BYTES };

  /** Does not wait for the server, as `connect` does. */
  constructor(address: string, options: ConnectOptions = {}) {
    checkNames(options, NAMES);
    checkKind('options.deadlineMs', options.deadlineMs, 'number');
    if (typeof address !== 'string' || /^(tls:)?$/.test(address)) {
      throw wrongKind('address', address, '"host", "host:port", "unix:/path"');
    }
    this.address = withPort(address);
    this.#options = options;
    this.#channel = new Channel(
      this.address,
      securityOf(this.address, options),
    );
  }

  /** A robot by its reference: name, name@revision, name@label or @revision.
   * Rejects with MODEL_NOT_FOUND for an unknown model. */
  async model(reference: string, options: CallOptions = {}): Promise<Robot> {
    return this.#robot(await this.modelInfo(reference, options));
  }

  /** Joints, frames, limits and lint report of a model. */
  async modelInfo(
    reference: string,
    options: CallOptions = {},
  ): Promise<ModelInfo> {
    const model = { model: reference };
    const reply = await this.#read(METHODS.getModel, model, options);
    return view<ModelInfo>('ModelInfo', reply['model'] as object);
  }

  /** The description that a model was registered from, byte for byte. */
  async modelSource(
    reference: string,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const request = { model: reference, includeSource: true };
    const reply = await this.#read(METHODS.getModel, request, options);
    return Uint8Array.from(reply['source'] as Uint8Array);
  }

  /**
   * Stores a description durably and points `name` ([A-Za-z0-9._-], at most 128)
   * at it. Rejects with INVALID_MODEL, whose message lists what is wrong and
   * whose `fieldViolations` name the lines. Not tried again if the connection
   * fails: it may have had its effect.
   */
  async registerUrdf(
    name: string,
    urdf: string | Uint8Array,
    options: RegisterOptions & CallOptions = {},
  ): Promise<Registration> {
    checkNames(options, REGISTER_NAMES);
    const { label, expectedCurrent, file, ...rest } = options;
    checkKind('options.file', file, 'string');
    const own = { label, expectedCurrent };
    const request = {
      name,
      ...registration(urdf, rest),
      ...fill('RegisterModelRequest', own, 'options'),
    };
    try {
      const wire = await this.#change(METHODS.registerModel, request, options);
      const reply = view<Registration>('RegisterModelReply', wire);
      return { ...reply, robot: this.#robot(reply.model) };
    } catch (error) {
      throw withFaults(error, file);
    }
  }

  /** The report of `registerUrdf`, without storing anything. */
  async validateUrdf(
    urdf: string | Uint8Array,
    options: UrdfOptions & CallOptions = {},
  ): Promise<ValidateModelReply> {
    checkNames(options, URDF_NAMES);
    const request = registration(urdf, options);
    const limits = this.#limitsOf(options);
    const reply = await this.#send(METHODS.validateModel, request, limits);
    return view('ValidateModelReply', reply);
  }

  /** All names with their current revisions, in byte order. */
  async listModels(options: CallOptions = {}): Promise<ModelSummary[]> {
    const models: ModelSummary[] = [];
    let pageToken = '';
    do {
      const request = { pageSize: 1000, pageToken };
      const page = await this.#read(METHODS.listModels, request, options);
      for (const model of page['models'] as object[]) {
        models.push(view('ModelSummary', model));
      }
      pageToken = page['nextPageToken'] as string;
    } while (pageToken !== '');
    return models;
  }

  /** Removes a name with all its history; calls in flight finish. */
  async deleteModel(
    name: string,
    options: DeleteOptions & CallOptions = {},
  ): Promise<void> {
    checkNames(options, [...CALL_NAMES, 'expectedCurrent']);
    const { expectedCurrent } = options;
    const own = fill('DeleteModelRequest', { expectedCurrent }, 'options');
    await this.#change(METHODS.deleteModel, { name, ...own }, options);
  }

  /** Version and limits of the server. `retry: false`: the first failure is
   * final. */
  async serverInfo(
    options: CallOptions & { retry?: boolean } = {},
  ): Promise<GetServerInfoReply> {
    const { retry, ...call } = options;
    const reply = await this.#read(METHODS.getServerInfo, {}, call, retry);
    const info = view<GetServerInfoReply>('GetServerInfoReply', reply);
    this.#sizes = {
      rows: info.maxRows || Infinity,
      // Half of a message is left to names, echo and row statuses. In flight a
      // request counts three times and a reply twice; a window of them is to fit
      // into the half of one client.
      payloadBytes: Math.min(
        GOOD_BYTES,
        info.maxMessageBytes / 2 || Infinity,
        info.maxInflightBytes / 128 || Infinity,
      ),
    };
    return info;
  }

  /** Ends all calls (CANCELLED) and the connection; nothing of it keeps the
   * process alive. */
  close(): void {
    this.#channel.close();
  }

  async #read(
    method: Method,
    request: object,
    options: CallOptions,
    retry?: boolean,
  ): Promise<Reply> {
    checkNames(options, CALL_NAMES);
    return this.#send(method, request, this.#limitsOf(options, retry));
  }

  #send(method: Method, request: object, limits: CallLimits): Promise<Reply> {
    const send = () => this.#channel.unary<Reply>(method, request, limits);
    return untilDone(send, limits);
  }

  // It is repeated only after DRAINING, if the server has not begun: a lost or refused
  // connection would fail it.
  // GetServerInfo may be repeated, and finds a server.
  #change(
    method: Method,
    request: object,
    options: CallOptions,
  ): Promise<Reply> {
    const limits = this.#limitsOf(options);
    const attempt = async (again: boolean) => {
      if (again) await this.#send(METHODS.getServerInfo, {}, limits);
      return this.#channel.unary<Reply>(method, request, limits, again);
    };
    return untilDone(attempt, limits, ({ reason }) => reason === 'DRAINING');
  }

  #robot(info: ModelInfo): Robot {
    return new Robot(info, {
      channel: this.#channel,
      sizes: this.#sizes,
      limitsOf: (options) => this.#limitsOf(options),
    });
  }

  #limitsOf(
    options: CallOptions,
    retry = this.#options.retry ?? true,
  ): CallLimits {
    const { deadlineMs, signal } = options;
    checkKind('options.deadlineMs', deadlineMs, 'number');
    // Signals of other realms are not instances of this one's AbortSignal.
    if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
      throw wrongKind('options.signal', signal, 'an AbortSignal');
    }
    const ms = deadlineMs ?? this.#options.deadlineMs ?? DEADLINE_MS;
    return {
      deadline: ms < LONGEST_MS ? Date.now() + ms : Infinity,
      signal,
      closing: this.#channel.closing,
      retry,
      onRetry: this.#options.onRetry,
    };
  }
}

type Reply = Record<string, unknown>;

// The fields that registration and dry run share.
function registration(
  urdf: string | Uint8Array,
  { deadlineMs: _, signal: __, ...options }: UrdfOptions & CallOptions,
): object {
  return {
    source: typeof urdf === 'string' ? Buffer.from(urdf, 'utf8') : urdf,
    options: fill('RegistrationOptions', options, 'options'),
  };
}
