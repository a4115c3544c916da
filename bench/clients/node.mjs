// See node.sh. The bare transport is @grpc/grpc-js with the same messages, which
// are encoded before and not decoded after.

import assert from 'node:assert';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { connect, startLocalServer } from 'torqued';
import { numbers } from './support.mjs';

const ROWS = 10_000;
const CHUNK = 1000;
const JOINTS = 7;
const RUNS = 41;
const SINGLES = 3000;
const COMPUTE = '/torqued.v1.Dynamics/Compute';
const EVALUATE = '/torqued.v1.Dynamics/Evaluate';

const require = createRequire(import.meta.resolve('torqued'));
const grpc = require('@grpc/grpc-js');
const protobuf = require('protobufjs');
const asIs = (bytes) => bytes;

const protos = join(process.env.BENCH_SOURCE, 'proto');
const root = new protobuf.Root();
root.resolvePath = (_, target) =>
  target.startsWith('google/') ? target : join(protos, target);
root.loadSync('torqued/v1/dynamics.proto');
const type = (name) => root.lookupType(`torqued.v1.${name}`);
const encode = (name, message) => type(name).encode(message).finish();

function median(times) {
  return times.sort((x, y) => x - y)[times.length >> 1];
}

/** Medians in ms, by way. The ways take turns, so that all meet the same
 * machine; the first turns, in which node compiles, do not count. */
async function measure(turns, ways) {
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  for (let turn = -turns; turn < turns; ++turn) {
    for (const [way, once] of Object.entries(ways)) {
      const start = performance.now();
      await once();
      if (turn >= 0) times[way].push(performance.now() - start);
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([way, all]) => [way, median(all)]),
  );
}

/** All messages out, all replies in, at most 16 of them under way. */
function throughStream(bare, messages, decode) {
  return new Promise((resolve, reject) => {
    const stream = bare.makeBidiStreamRequest(EVALUATE, asIs, decode, {
      deadline: Date.now() + 30_000,
    });
    let sent = 0;
    const send = () => {
      if (sent < messages.length) stream.write(messages[sent++]);
      else if (sent++ === messages.length) stream.end();
    };
    const replies = [];
    stream.on('data', (reply) => {
      replies.push(reply);
      send();
    });
    stream.on('error', reject);
    stream.on('end', () => resolve(replies));
    for (let k = 0; k <= 16; ++k) send();
  });
}

function throughCall(bare, request) {
  return new Promise((resolve, reject) => {
    bare.makeUnaryRequest(
      COMPUTE,
      asIs,
      asIs,
      request,
      { deadline: Date.now() + 30_000 },
      (error, reply) => (error ? reject(error) : resolve(reply)),
    );
  });
}

const states = {
  q: numbers(ROWS * JOINTS, 1),
  v: numbers(ROWS * JOINTS, 2),
  a: numbers(ROWS * JOINTS, 3),
};
const start = { model: 'panda', quantities: [1], options: { encoding: 2 } };

function chunks(encoding, asArray) {
  const options = { encoding };
  const messages = [
    encode('EvaluateRequest', { start: { ...start, options } }),
  ];
  for (let row = 0; row < ROWS; row += CHUNK) {
    messages.push(encode('EvaluateRequest', { chunk: part(row, asArray) }));
  }
  return messages;
}

function part(row, asArray, count = CHUNK) {
  return Object.fromEntries(
    Object.entries(states).map(([name, all]) => [
      name,
      asArray(all.slice(row * JOINTS, (row + count) * JOINTS)),
    ]),
  );
}

const asBytes = (data) => ({ columns: JOINTS, f64: Buffer.from(data.buffer) });
const asValues = (data) => ({ columns: JOINTS, values: Array.from(data) });

const server = await startLocalServer({
  models: [join(process.env.BENCH_SOURCE, 'deploy', 'models')],
});
const client = await connect(server.address);
const robot = await client.model('panda');
const bare = new grpc.Client(
  server.address,
  grpc.credentials.createInsecure(),
  {
    'grpc.max_receive_message_length': -1,
    'grpc-node.flow_control_window': 1024 * 1024,
    'grpc.enable_http_proxy': 0,
  },
);

const encoded = chunks(2, asBytes);
const decodeReply = (bytes) => type('EvaluateReply').decode(bytes);
const one = part(0, asBytes, 1);
const single = encode('ComputeRequest', { ...start, ...one });

// The same answer every way.
const { tau } = await robot.inverseDynamics(states);
const values = await throughStream(bare, chunks(1, asValues), decodeReply);
assert.deepEqual(
  values.flatMap((reply) => reply.results.tau.values),
  [...tau.data],
);
const bytes = await throughStream(bare, encoded, decodeReply);
assert.equal(bytes.length, ROWS / CHUNK);

const firstState = Object.fromEntries(
  Object.entries(states).map(([name, all]) => [name, all.slice(0, JOINTS)]),
);
const batches = await measure(RUNS, {
  client: () => robot.inverseDynamics(states),
  bare: () => throughStream(bare, encoded, asIs),
  values: () => throughStream(bare, chunks(1, asValues), decodeReply),
});
const singles = await measure(SINGLES, {
  client: () => robot.inverseDynamics(firstState),
  bare: () => throughCall(bare, single),
});
const { target } = await client.serverInfo();
console.log(`node ${process.versions.node}, target ${target}`);
console.log(`${ROWS} states of inverse dynamics, panda, ms:`);
for (const [way, ms] of Object.entries(batches)) {
  console.log(`  ${way.padEnd(8)}${ms.toFixed(2)}`);
}
console.log('one state, ms:');
for (const [way, ms] of Object.entries(singles)) {
  console.log(`  ${way.padEnd(8)}${ms.toFixed(3)}`);
}
bare.close();
client.close();
await server.close();
