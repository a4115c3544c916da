// Details of errors that no server of ours sends.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { decodeError } from '../client/node/dist/channel.js';
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
  const damaged = new Metadata();
  damaged.set('grpc-status-details-bin', Buffer.from([0x0a, 0xff, 0xff]));
  for (const status of [
    { code: 3, details: 'it failed', metadata },
    { code: 3, details: 'it failed', metadata: damaged },
    failed(3, 8, [info]),
  ]) {
    const error = decodeError(status);
    assert.equal(error.code, 'INVALID_ARGUMENT');
    assert.equal(error.message, 'it failed');
    assert.equal(error.reason, '');
  }
  assert.equal(
    decodeError({ code: 99, details: '', metadata }).code,
    'UNKNOWN',
  );
});
