// gRPC's own client in Node under restarts: raw_node_load.mjs ADDRESS
//
// An answer or UNAVAILABLE, and of a stream each row once, in order, up to the
// one that the error names.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { realpathSync } from 'node:fs';
import { run, saw } from './load.mjs';

// The packages that the client of torqued is made of.
const entry = realpathSync(fileURLToPath(import.meta.resolve('torqued')));
const require = createRequire(entry);
const grpc = require('@grpc/grpc-js');
const protobuf = require('protobufjs');

const JOINTS = 7;
const DEADLINE_MS = 60_000;
const BETWEEN_TRIES_MS = 5;
const SERVICE = '/torqued.v1.Dynamics/';

const root = new protobuf.Root();
root.resolvePath = (_, path) =>
  path === 'google/protobuf/descriptor.proto'
    ? require.resolve(`protobufjs/${path}`)
    : path.startsWith('torqued/')
      ? join(dirname(entry), 'proto', path)
      : path;
root.loadSync(['torqued/v1/dynamics.proto', 'torqued/v1/errors.proto']);
const type = (name) => root.lookupType(`torqued.v1.${name}`);
const inverseDynamics = root.lookupEnum('torqued.v1.Quantity').values
  .QUANTITY_INVERSE_DYNAMICS;

function clientOf(address) {
  return new grpc.Client(address, grpc.credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 100,
    'grpc.max_receive_message_length': -1,
  });
}

function angles(rows) {
  const numbers = Float64Array.from({ length: rows * JOINTS }, (_, k) =>
    Math.sin(0.01 * k),
  );
  return { columns: JOINTS, f64: Buffer.from(numbers.buffer) };
}

const encode = (name, fields) =>
  Buffer.from(type(name).encode(type(name).create(fields)).finish());
const same = (bytes) => bytes;
const textOf = (results) =>
  Buffer.from(type('Results').encode(results).finish()).toString('base64');
const deadline = () => ({ deadline: Date.now() + DEADLINE_MS });

/** Anything else is what a restart must not show. */
function requireUnavailable(error) {
  if (error.code !== grpc.status.UNAVAILABLE) throw error;
  saw('UNAVAILABLE');
}

/**
 * The server says where the rows end that it has answered, unless the stream had
 * not begun, or the server was killed.
 */
function requireNextRow(error, rows) {
  let named = false;
  for (const bytes of error.metadata?.get('grpc-status-details-bin') ?? []) {
    for (const detail of type('Status').decode(bytes).details) {
      if (!detail.type_url.endsWith('google.rpc.ErrorInfo')) continue;
      const { metadata } = type('ErrorInfo').decode(detail.value);
      const told = metadata.next_row;
      if ((told ?? '0') !== String(rows)) {
        throw new Error(`next_row ${told} after ${rows} rows`);
      }
      if (told === undefined) continue;
      named = true;
      saw('next_row');
    }
  }
  if (rows > 0 && !named) saw('cut');
}

async function untilAnswered(ask) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      requireUnavailable(error);
      await setTimeout(BETWEEN_TRIES_MS);
    }
  }
}

function unary(client, rows) {
  const request = encode('ComputeRequest', {
    model: 'panda',
    quantities: [inverseDynamics],
    q: angles(rows),
  });
  const ask = () =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        `${SERVICE}Compute`,
        same,
        (bytes) => type('ComputeReply').decode(bytes),
        request,
        deadline(),
        (error, reply) => (error ? reject(error) : resolve(reply)),
      );
    });
  return () => untilAnswered(async () => textOf((await ask()).results));
}

function stream(client) {
  const chunks = 40;
  const rowsOfAChunk = 50;
  const start = encode('EvaluateRequest', {
    start: { model: 'panda', quantities: [inverseDynamics] },
  });
  const chunk = encode('EvaluateRequest', {
    chunk: { q: angles(rowsOfAChunk) },
  });
  const ask = () =>
    new Promise((resolve, reject) => {
      let rows = 0;
      let text = '';
      const call = client.makeBidiStreamRequest(
        `${SERVICE}Evaluate`,
        same,
        (bytes) => type('EvaluateReply').decode(bytes),
        deadline(),
      );
      call.on('data', (reply) => {
        if (Number(reply.firstRow) !== rows) reject(new Error('other rows'));
        rows += Number(reply.rows);
        text += textOf(reply.results);
      });
      call.on('error', (error) => {
        try {
          requireNextRow(error, rows);
          reject(error);
        } catch (wrong) {
          reject(wrong);
        }
      });
      call.on('end', () => {
        if (rows === chunks * rowsOfAChunk) resolve(text);
      });
      call.on('status', ({ code }) => {
        if (code === grpc.status.OK && rows !== chunks * rowsOfAChunk) {
          reject(new Error('rows are lost'));
        }
      });
      call.write(start);
      for (let k = 0; k < chunks; ++k) call.write(chunk);
      call.end();
    });
  return () => untilAnswered(ask);
}

// Of each its own connection, and two that share one.
const clients = Array.from({ length: 4 }, () => clientOf(process.argv[2]));
const asks = {
  unary: unary(clients[0], 1),
  second: unary(clients[1], 1),
  third: unary(clients[1], 1),
  batch: unary(clients[2], 50_000),
  stream: stream(clients[3]),
};
await run(asks, () => clients.forEach((client) => client.close()));
