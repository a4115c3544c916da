// Where a server listens, as people shorten it.

import { isIPv6 } from 'node:net';

/** What torqued listens on unless told otherwise. */
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

/** Whether only this machine is there: a Unix socket, localhost, 127.*.*.*,
 * [::1]. */
export function isLocal(address: string): boolean {
  return /^(unix:|(localhost|\[::1\]|127(\.\d{1,3}){3}):\d+$)/.test(address);
}
