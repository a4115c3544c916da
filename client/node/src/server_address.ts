// Where a server listens, as people shorten it.

import { isIPv6 } from 'node:net';
import { badArgument } from './errors.js';
import { wrongKind } from './message.js';

/** What torqued listens on unless told otherwise. */
const DEFAULT_PORT = 7421;
/** Before "host:port". */
export const TLS = 'tls:';
const FORMS = '"host", "host:port", "tls:host:port" or "unix:/path"';
/** What gRPC resolves in its own way. */
const SCHEME = /^(dns|ipv4|ipv6|unix-abstract|vsock|xds):/;

/** With the default port where a host, an IPv6 address with or without brackets,
 * has none, for which gRPC would take that of HTTPS. Throws INVALID_OPTION for
 * what can be no address. */
export function checkedAddress(address: unknown): string {
  if (typeof address !== 'string') {
    throw wrongKind('INVALID_OPTION', 'address', address, FORMS);
  }
  if (SCHEME.test(address)) return address;
  if (address.startsWith('unix:')) {
    if (address === 'unix:') throw noAddress(address, 'it names no socket');
    return address;
  }
  if (address.includes('://')) {
    throw noAddress(address, 'it has no scheme and no path');
  }
  if (address.startsWith('mtls:')) {
    throw noAddress(address, 'a client writes tls: for it');
  }
  const tls = address.startsWith(TLS) ? TLS : '';
  const [host, port] = partsOf(address.slice(tls.length));
  const why = problemOf(host, port);
  if (why !== undefined) throw noAddress(address, why);
  return `${tls}${host}:${port}`;
}

/** Whether only this machine is there: a Unix socket, localhost, 127.*.*.*,
 * [::1]. */
export function isLocal(address: string): boolean {
  return /^(unix:|(localhost|\[::1\]|127(\.\d{1,3}){3}):\d+$)/.test(address);
}

function problemOf(host: string, port: string): string | undefined {
  if (host === '') return 'there is no host';
  const isBracketed = host.startsWith('[') && host.endsWith(']');
  if (isBracketed ? !isIPv6(host.slice(1, -1)) : /[[\]]/.test(host)) {
    return `${host} is no IPv6 address`;
  }
  if (!isBracketed && host.includes(':')) {
    return 'an IPv6 address needs brackets';
  }
  if (host.includes('/')) return `'${host}' is no host`;
  return /^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65535
    ? undefined
    : 'a port is a number from 1 to 65535';
}

// Host, an IPv6 address in brackets, and port.
function partsOf(address: string): [string, string] {
  const colon = address.lastIndexOf(':');
  if (colon < 0 || (address.startsWith('[') && address.endsWith(']'))) {
    return [address, String(DEFAULT_PORT)];
  }
  const host = address.slice(0, colon);
  const port = address.slice(colon + 1);
  // What stands behind the last colon may be a port: "::1:7421".
  if (isIPv6(address) && !(/^\d+$/.test(port) && isIPv6(host))) {
    return [`[${address}]`, String(DEFAULT_PORT)];
  }
  return [host, port];
}

function noAddress(address: string, why: string): Error {
  return badArgument(
    'INVALID_OPTION',
    'address',
    `address takes ${FORMS}, not '${address.slice(0, 200)}': ${why}`,
  );
}
