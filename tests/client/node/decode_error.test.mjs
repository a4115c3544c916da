// Details of errors that no server of ours sends.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { decodeError } from '../client/node/dist/channel.js';
import { TorquedError } from '../client/node/dist/errors.js';
import { encode, messageType } from '../client/node/dist/protocol.js';

const { Metadata } = createRequire(import.meta.resolve('torqued'))(
  '@grpc/grpc-js',
);

const detail = (name, message) => ({
  type_url: `type.googleapis.com/google.rpc.${name}`,
  value: encode(messageType(name), message),
});

function failed(code, statusCode, details) {
  const metadata = new Metadata();
  const status = { code: statusCode, message: 'no', details };
  metadata.set(
    'grpc-status-details-bin',
    encode(messageType('Status'), status),
  );
  return { code, details: 'it failed', metadata };
}

const info = detail('ErrorInfo', { reason: 'OVERLOADED' });

test('damaged details and those of another code leave the code and the sentence', () => {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from([0x0a, 0xff, 0xff]));
  for (const status of [
    { code: 3, details: 'it failed', metadata },
    { code: 3, details: 'it failed' },
    failed(3, 3, [{ ...info, value: Buffer.from([0x0a, 0x7f]) }]),
    failed(3, 8, [info]),
  ]) {
    const error = decodeError(status);
    assert.equal(error.code, 'INVALID_ARGUMENT');
    assert.equal(error.message, 'it failed');
    assert.equal(error.reason, '');
  }
  assert.equal(decodeError({ code: 99, details: '' }).code, 'UNKNOWN');
});

test('what could steer a terminal is escaped and nothing else', () => {
  const steers = (code) =>
    (code < 0x20 && code !== 9 && code !== 10) ||
    (code >= 0x7f && code <= 0x9f) ||
    [0x61c, 0x200e, 0x200f].includes(code) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069);
  for (let code = 0; code <= 0xffff; ++code) {
    const character = String.fromCharCode(code);
    const error = decodeError({ code: 5, details: `a${character}b` });
    const escape = `\\u${code.toString(16).padStart(4, '0')}`;
    assert.equal(error.message, `a${steers(code) ? escape : character}b`);
  }
});

test('what the console prints of an error steers no terminal either', () => {
  const text = String.fromCharCode(0x1b, 0x9b, 0x61c, 0x2028, 0x202e, 0x2066);
  const error = new TorquedError('NOT_FOUND', 'no such joint', {
    reason: 'UNKNOWN_JOINT',
    metadata: { joint: `elbow${text}` },
    fieldViolations: [{ field: `q.${text}`, description: `none${text}` }],
  });
  const shown = inspect(error);
  for (const character of text) assert.ok(!shown.includes(character), shown);
  for (const known of ['elbow', '\\u202e', 'fieldViolations', 'decode_error']) {
    assert.ok(shown.includes(known), shown);
  }
  // Colours are controls that are meant.
  assert.ok(inspect(error, { colors: true }).includes('\x1b['));
  assert.equal(error.joint, `elbow${text}`);
});
