// Addresses, TLS and tokens of a connection. All is checked before anything is sent,
// and no message has a token.

import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { env } from 'node:process';
import { badArgument } from './errors.js';
import { checkKind } from './message.js';

/** The default address of torqued. */
const DEFAULT_PORT = 7421;
/** Before "host:port". */
export const TLS = 'tls:';

/** With the default port where a host, an IPv6 address with or without brackets,
 * has none, for which gRPC would take that of HTTPS. */
export function withPort(address: string): string {
  const tls = address.startsWith(TLS) ? TLS : '';
  const host = address.slice(tls.length);
  if (isIPv6(host)) return `${tls}[${host}]:${DEFAULT_PORT}`;
  const hasNone = /^([^:]+|\[[^\]]*\])$/.test(host);
  return hasNone ? `${address}:${DEFAULT_PORT}` : address;
}

// TLS, a Unix socket, or a host of this machine.
const SAFE = /^(tls:|unix:|(localhost|\[::1\]|127(\.\d{1,3}){3}):\d+$)/;
const TOKEN_VARIABLE = 'TORQUED_TOKEN';
// The files of Debian and of Red Hat, as gRPC in C++ uses them; Node prefers its own.
const SYSTEM_ROOTS = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
];

/** How a client proves who it is, and its server has to. */
export interface SecurityOptions {
  /** PEM file of the CAs of which one signed the server's certificate, for an
   * address "tls:host:port" like the three that follow; others refuse them.
   * Absent: the roots of the system, or of the file that the environment variable
   * GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names. */
  tlsCa?: string;
  /** PEM file of the client's certificate and its chain; with `tlsKey`. Absent:
   * none. */
  tlsCert?: string;
  /** PEM file of its key. */
  tlsKey?: string;
  /** The name that the server's certificate must have. Absent: the address's
   * host. */
  tlsServerName?: string;
  /** Identifies the client in each call (docs/security.md). Refused at an address
   * of another machine without TLS. Absent: that of `tokenFile`; without both, of
   * the environment variable TORQUED_TOKEN, if it is not empty. */
  token?: string;
  /** A file that has the token, instead of `token`. It is read once, without
   * white space at its end. */
  tokenFile?: string;
}

/** The connection of these options; `authorization` is a header of each
 * call. */
export type Security = ReturnType<typeof securityOf>;

/** Throws INVALID_OPTION for what does not fit the address. */
export function securityOf(address: string, options: SecurityOptions) {
  const { tlsServerName: name } = options;
  checkKind('options.tlsServerName', name, 'string');
  return {
    credentials: credentialsOf(address, options),
    channelOptions: name ? { 'grpc.ssl_target_name_override': name } : {},
    authorization: authorizationOf(address, options),
  };
}

function credentialsOf(
  address: string,
  options: SecurityOptions,
): ChannelCredentials {
  const { tlsCa, tlsCert, tlsKey, tlsServerName } = options;
  if (!address.startsWith(TLS)) {
    const given = { tlsCa, tlsCert, tlsKey, tlsServerName };
    for (const [option, value] of Object.entries(given)) {
      if (value !== undefined)
        throw refusal(option, 'only tls:HOST:PORT takes it');
    }
    return credentials.createInsecure();
  }
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const given = tlsKey === undefined ? 'tlsCert' : 'tlsKey';
    throw refusal(given, 'tlsCert and tlsKey need each other');
  }
  const roots = env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] ? [] : SYSTEM_ROOTS;
  return credentials.createSsl(
    pemOf('tlsCa', tlsCa ?? roots.find((file) => existsSync(file))),
    pemOf('tlsKey', tlsKey),
    pemOf('tlsCert', tlsCert),
  );
}

function authorizationOf(
  address: string,
  { token: given, tokenFile }: SecurityOptions,
): string | undefined {
  let [from, token]: [string, unknown] = ['token', given];
  if (tokenFile !== undefined) {
    from = 'tokenFile';
    if (given !== undefined) throw refusal(from, 'token is given as well');
    token = read(from, tokenFile).toString('latin1').trimEnd();
  } else if (given === undefined) {
    [from, token] = [TOKEN_VARIABLE, env[TOKEN_VARIABLE]];
    if (!token) return undefined;
  }
  // Characters that an HTTP header can have, so that a space at an end is not lost.
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token)) {
    throw refusal(from, 'a token has printable ASCII characters and no spaces');
  }
  if (SAFE.test(address)) return `Bearer ${token}`;
  const where = 'tls:HOST:PORT, a Unix socket or this machine';
  throw refusal(from, `a token is sent only to ${where}, not to ${address}`);
}

function pemOf(option: string, file: string | undefined): Buffer | null {
  if (file === undefined) return null;
  const text = read(option, file);
  if (text.includes('-----BEGIN ')) return text;
  throw refusal(option, `${file} is not a PEM file`);
}

function read(option: string, file: string): Buffer {
  checkKind(`options.${option}`, file, 'string');
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refusal(option, `cannot read ${file}: ${code}`);
  }
}

function refusal(from: string, why: string): Error {
  const field = from === TOKEN_VARIABLE ? from : `options.${from}`;
  return badArgument('INVALID_OPTION', field, `${field}: ${why}`);
}
