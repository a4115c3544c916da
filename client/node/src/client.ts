// The client of a torqued server.

import type { ChannelOptions } from '@grpc/grpc-js';
import type { SizeLimits } from './batch.js';
import { Channel } from './channel.js';
import type {
  GetServerInfoReply,
  ModelInfo,
  ModelSummary,
  ValidateModelReply,
  Validation,
} from './contract.js';
import { TorquedError } from './errors.js';
import { checkNames, checkRecord, fill, view, wrongKind } from './message.js';
import { withFaults } from './model_faults.js';
import {
  CALL_NAMES,
  type CallOptions,
  checkedNumber,
  checkedText,
} from './options.js';
import { type Method, METHODS } from './protocol.js';
import {
  type CallLimits,
  hasNotBegun,
  mayPass,
  sleep,
  untilDone,
  type Waiting,
} from './retry.js';
import { RetryBudget } from './retry_budget.js';
import { Robot, withChunkRows } from './robot.js';
import { type SecurityOptions, securityOf } from './security.js';
import { checkedAddress } from './server_address.js';

const DEADLINE_MS = 30_000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
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
  /** Largest message in either direction, bytes; batches are cut to stay below.
   * -1: no limit. Absent: 16 MiB. */
  maxMessageBytes?: number;
  /** Most states of one message; a larger batch travels in parts. Absent: as many
   * as 1 MiB holds. */
  chunkRows?: number;
  /**
   * Try again, within the deadline, what changes nothing on the server and failed
   * with UNAVAILABLE, with a delay after which to retry, for a lost connection,
   * or for a cancellation that the caller has not asked for. Of a batch only
   * what is not answered. What does change something is tried again only where a
   * server that shuts down has refused it (DRAINING). docs/retries.md says when
   * and how often. Absent: true.
   */
  retry?: boolean;
  /** Told before each wait for another try. */
  onRetry?: Waiting;
  /** Of @grpc/grpc-js, over those that this library sets. A proxy that the
   * environment names is used only with `'grpc.enable_http_proxy': 1`. */
  channelOptions?: ChannelOptions;
}

const NAMES: readonly (keyof ConnectOptions)[] = [
  'deadlineMs',
  'waitForServerMs',
  'maxMessageBytes',
  'chunkRows',
  'retry',
  'onRetry',
  'tlsCa',
  'tlsCert',
  'tlsKey',
  'tlsServerName',
  'token',
  'tokenFile',
  'channelOptions',
];

/** How a description becomes a model; part of its revision. */
export interface UrdfOptions {
  /** Frame used where a call names no tip. Absent: none, unless the model has
   * exactly one leaf link, which then serves. */
  defaultTip?: string;
  /** Absent: DEFAULT. */
  validation?: Validation;
}

/** Options of `deleteModel`. */
export interface DeleteOptions {
  /** The name goes only if this is its current revision; REVISION_CONFLICT
   * otherwise. */
  expectedCurrent?: string;
}

/** Options of a registration. */
export interface RegisterOptions extends UrdfOptions {
  /** A second name for this revision: "panda@label". */
  label?: string;
  /** Where the text comes from: what errors call it in the place of "source". */
  file?: string;
  /** The name moves only if this is its current revision ("": it does not exist
   * yet); REVISION_CONFLICT otherwise. */
  expectedCurrent?: string;
}

const URDF_NAMES = ['defaultTip', 'validation', ...CALL_NAMES];
const REGISTER_NAMES = [...URDF_NAMES, 'label', 'file', 'expectedCurrent'];

/** What came of a registration. */
export interface Registration {
  readonly model: ModelInfo;
  /** False where the name already stood for this revision. */
  readonly changed: boolean;
  /** The model, at the revision that was registered. */
  readonly robot: Robot;
}

/**
 * Connects to a server. `address` is "host", "host:port", "tls:host:port",
 * "unix:/path" or what gRPC takes with a scheme of its own ("dns:", "ipv4:"). A
 * host alone, an IPv6 address with or without brackets, gets port 7421, torqued's
 * own. Rejects with TorquedError (UNAVAILABLE, DEADLINE_EXCEEDED) where no server
 * answers, where another one does (UNIMPLEMENTED, mostly), and for options that
 * do not fit the address (INVALID_OPTION).
 */
export async function connect(
  address: string,
  options: ConnectOptions = {},
): Promise<Client> {
  const client = new Client(address, options);
  const start = Date.now();
  while (true) {
    try {
      await client.serverInfo({ retry: false });
      return client;
    } catch (error) {
      if (error instanceof TorquedError && isOfAnotherServer(error)) {
        client.close();
        throw new TorquedError(
          error.code,
          `no torqued server answers at ${client.address}: ` +
            (error.message || error.code),
        );
      }
      if (!(error instanceof TorquedError) || isWordOfServer(error)) {
        return client;
      }
      if (Date.now() - start >= (options.waitForServerMs ?? 0)) {
        client.close();
        throw new TorquedError(
          error.code,
          `no connection to ${client.address}: ${error.message}`,
        );
      }
    }
    await sleep(CONNECT_AGAIN_MS);
  }
}

// What answered knows nothing of a call that every server of ours knows, or it
// speaks HTTP and no gRPC.
function isOfAnotherServer({ reason, code, message }: TorquedError): boolean {
  if (reason !== '') return false;
  const isVague = code === 'INTERNAL' || code === 'UNKNOWN';
  return code === 'UNIMPLEMENTED' || (isVague && /HTTP status/.test(message));
}

// Any other word of the server shows that it is there.
function isWordOfServer(error: TorquedError): boolean {
  return (
    error.reason !== '' ||
    (error.code !== 'UNAVAILABLE' && error.code !== 'DEADLINE_EXCEEDED')
  );
}

/** One connection, to be shared by all of a program. Made by `connect`. */
export class Client {
  readonly address: string;
  readonly #channel: Channel;
  readonly #options: ConnectOptions;
  #sizes: SizeLimits;
  readonly #budget = new RetryBudget();

  /** Does not wait for the server, as `connect` does. */
  constructor(address: string, options: ConnectOptions = {}) {
    checkNames(options, NAMES);
    this.address = checkedAddress(address);
    this.#options = options;
    checkedNumber(options.deadlineMs, 'deadlineMs');
    const bytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
    const messageBytes = bytes === -1 ? Infinity : bytes;
    this.#sizes = withChunkRows(
      { rows: Infinity, messageBytes, inflightBytes: Infinity },
      options.chunkRows,
    );
    this.#channel = new Channel(this.address, {
      maxMessageBytes: messageBytes,
      security: securityOf(this.address, options),
      channelOptions: options.channelOptions,
    });
  }

  /** A robot by its reference: name, name@revision, name@label or @revision.
   * Rejects with MODEL_NOT_FOUND where there is none. */
  async model(reference: string, options: CallOptions = {}): Promise<Robot> {
    return this.#robot(await this.modelInfo(reference, options));
  }

  /** Joints, frames, limits and lint report of a model. */
  async modelInfo(
    reference: string,
    options: CallOptions = {},
  ): Promise<ModelInfo> {
    checkNames(options, CALL_NAMES);
    const reply = await this.#read<{ model: object }>(
      METHODS.getModel,
      { model: reference },
      options,
    );
    return view<ModelInfo>('ModelInfo', reply.model);
  }

  /** The description that a model was registered from, byte for byte. */
  async modelSource(
    reference: string,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    checkNames(options, CALL_NAMES);
    const reply = await this.#read<{ source: Uint8Array }>(
      METHODS.getModel,
      { model: reference, includeSource: true },
      options,
    );
    return Uint8Array.from(reply.source);
  }

  /**
   * Stores a description durably and points `name` ([A-Za-z0-9._-], at most 128)
   * at it. Rejects with INVALID_MODEL, whose message lists what is wrong and
   * whose `fieldViolations` name the lines, UNKNOWN_FRAME for a default tip that
   * is no link, INVALID_MODEL_NAME, REVISION_CONFLICT, REQUEST_TOO_LARGE,
   * QUOTA_REACHED where the server's store is full. Not tried again where the
   * connection fails: it may have had its effect.
   */
  async registerUrdf(
    name: string,
    urdf: string | Uint8Array,
    options: RegisterOptions & CallOptions = {},
  ): Promise<Registration> {
    checkNames(options, REGISTER_NAMES);
    const { label, file, expectedCurrent, ...rest } = options;
    checkedText(file, 'file');
    const wanted = {
      ...registration(rest),
      ...given('label', label),
      ...given('expectedCurrent', expectedCurrent),
    };
    const reply = await this.#change<{
      model: object;
      changed: boolean;
    }>(
      METHODS.registerModel,
      { name, source: bytesOf(urdf), ...wanted },
      options,
    ).catch((error: unknown) => {
      throw withFaults(error, file);
    });
    const model = view<ModelInfo>('ModelInfo', reply.model);
    const robot = this.#robot(model);
    return { model, changed: reply.changed, robot };
  }

  /** What `registerUrdf` would say, without storing anything. */
  async validateUrdf(
    urdf: string | Uint8Array,
    options: UrdfOptions & CallOptions = {},
  ): Promise<ValidateModelReply> {
    checkNames(options, URDF_NAMES);
    const reply = await this.#read<object>(
      METHODS.validateModel,
      { source: bytesOf(urdf), ...registration(options) },
      options,
    );
    return view('ValidateModelReply', reply);
  }

  /** All names with their current revisions, in byte order. */
  async listModels(options: CallOptions = {}): Promise<ModelSummary[]> {
    checkNames(options, CALL_NAMES);
    const models: ModelSummary[] = [];
    let pageToken = '';
    do {
      const page = await this.#read<{
        models: object[];
        nextPageToken: string;
      }>(METHODS.listModels, { pageSize: 1000, pageToken }, options);
      for (const model of page.models) models.push(view('ModelSummary', model));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return models;
  }

  /** Removes a name with all its history; calls in flight finish. */
  async deleteModel(
    name: string,
    options: DeleteOptions & CallOptions = {},
  ): Promise<void> {
    checkNames(options, ['expectedCurrent', ...CALL_NAMES]);
    await this.#change(
      METHODS.deleteModel,
      { name, ...given('expectedCurrent', options.expectedCurrent) },
      options,
    );
  }

  /** What the server is and what it takes. `retry: false`: the first failure is
   * final. */
  async serverInfo(
    options: CallOptions & { retry?: boolean } = {},
  ): Promise<GetServerInfoReply> {
    const { retry, ...call } = options;
    checkNames(call, CALL_NAMES);
    const limits = this.#limitsOf(call);
    const reply = await untilDone(
      () => this.#channel.unary<object>(METHODS.getServerInfo, {}, limits),
      retry === false ? { ...limits, retry: undefined } : limits,
    );
    const info = view<GetServerInfoReply>('GetServerInfoReply', reply);
    const { rows, messageBytes, inflightBytes } = this.#sizes;
    this.#sizes = {
      rows: Math.min(rows, info.maxRows || Infinity),
      messageBytes: Math.min(messageBytes, info.maxMessageBytes || Infinity),
      inflightBytes: Math.min(inflightBytes, info.maxInflightBytes || Infinity),
    };
    return info;
  }

  /** Ends all calls (CANCELLED) and the connection; nothing of it keeps the
   * process alive. */
  close(): void {
    this.#channel.close();
  }

  #read<Reply>(
    method: Method,
    request: object,
    options: CallOptions,
  ): Promise<Reply> {
    const limits = this.#limitsOf(options);
    return untilDone(
      () => this.#channel.unary<Reply>(method, request, limits),
      limits,
    );
  }

  #change<Reply>(
    method: Method,
    request: object,
    options: CallOptions,
  ): Promise<Reply> {
    const limits = this.#limitsOf(options);
    return untilDone(
      async ({ again, end }) => {
        if (again) await this.#findServer({ ...limits, deadline: end });
        return this.#channel.unary<Reply>(method, request, {
          deadline: end,
          signal: limits.signal,
          waitForReady: again,
        });
      },
      limits,
      hasNotBegun,
    );
  }

  // Returns when a server answers. A call that changes something is repeated
  // only after DRAINING, so a lost or refused connection, or a CANCELLED of a
  // server that shuts down, would fail its repeat. GetServerInfo changes nothing
  // and may be repeated: it goes before the repeat.
  async #findServer(limits: CallLimits): Promise<void> {
    try {
      await untilDone(
        () => this.#channel.unary<object>(METHODS.getServerInfo, {}, limits),
        limits,
      );
    } catch (error) {
      if (!(error instanceof TorquedError)) throw error;
      // Any other word of the server shows that it is there.
      if (mayPass(error) || error.code === 'DEADLINE_EXCEEDED') throw error;
    }
  }

  #robot(info: ModelInfo): Robot {
    return new Robot(info, {
      channel: this.#channel,
      sizes: this.#sizes,
      limitsOf: (options) => this.#limitsOf(options),
    });
  }

  #limitsOf(options: CallOptions): CallLimits {
    checkRecord(options, 'options');
    const { deadlineMs, signal } = options;
    checkSignal(signal);
    const { retry, onRetry } = this.#options;
    const milliseconds =
      checkedNumber(deadlineMs, 'deadlineMs') ??
      this.#options.deadlineMs ??
      DEADLINE_MS;
    return {
      deadline:
        milliseconds < LONGEST_MS ? Date.now() + milliseconds : Infinity,
      signal,
      closing: this.#channel.closing,
      retry:
        retry === false
          ? undefined
          : { waiting: onRetry, budget: this.#budget },
    };
  }
}

// The part of a request that registration and dry run share.
function registration(options: UrdfOptions & CallOptions): object {
  const { deadlineMs: _, signal: __, ...rest } = options;
  return { options: fill('RegistrationOptions', rest, 'options') };
}

// Left out it would let a name move whatever it stands for.
function given(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: checkedText(value, name) };
}

// Those of other realms are none of this one's AbortSignal.
function checkSignal(signal: unknown): void {
  if (signal === undefined) return;
  if (typeof signal === 'object' && signal && 'throwIfAborted' in signal)
    return;
  throw wrongKind('INVALID_OPTION', 'options.signal', signal, 'an AbortSignal');
}

function bytesOf(urdf: string | Uint8Array): Uint8Array {
  return typeof urdf === 'string' ? Buffer.from(urdf, 'utf8') : urdf;
}
