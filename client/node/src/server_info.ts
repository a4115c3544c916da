// What a server is and what it takes.

import { messageType } from './protocol.js';

/** An instruction set that the kernels are compiled for. */
export interface Target {
  readonly name: string;
  /** States that one instruction works on, in double and in single precision. */
  readonly lanesDouble: number;
  readonly lanesSingle: number;
}

/** Nothing here changes while the server runs. */
export interface ServerInfo {
  readonly serverVersion: string;
  /** Name of the target that computes everything. */
  readonly target: string;
  /** All that this machine can run, the widest first. */
  readonly targets: readonly Target[];
  /** Computing threads. */
  readonly threads: number;
  /** Most states in one request or chunk. */
  readonly maxRows: number;
  /** Largest request and largest reply, bytes. */
  readonly maxMessageBytes: number;
  /** Most bytes and streams under way, of all calls together. */
  readonly maxInflightBytes: number;
  readonly maxInflightStreams: number;
  /** Servers of equal versions give a source the same revision. */
  readonly revisionLayout: string;
}

const Reply = messageType('GetServerInfoReply');

/** From a decoded GetServerInfoReply. */
export function toServerInfo(message: object): ServerInfo {
  return Reply.toObject(Reply.fromObject(message), {
    longs: Number,
    defaults: true,
    arrays: true,
  }) as ServerInfo;
}
