// What the Node client costs beside @grpc/grpc-js with the same messages:
// milliseconds for inverse dynamics of a 7-axis arm, medians of calls that take
// turns, and of five rounds of them the median of the ratio.
//
// Usage, in a checkout with a built server:
//   tests/client/node/install.sh build/bench-node
//   cp bench/remote.mjs build/bench-node/tests/
//   TEST_SOURCE=. TORQUED_BINARY=build/release/bin/torqued \
//     node build/bench-node/tests/remote.mjs

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { connect, startLocalServer } from 'torqued';
import { numbers } from './support.mjs';

const JOINTS = 7;
const COMPUTE = '/torqued.v1.Dynamics/Compute';
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const require = createRequire(import.meta.resolve('torqued'));
const grpc = require('@grpc/grpc-js');
const protobuf = require('protobufjs');
const root = new protobuf.Root();
root.resolvePath = (_, target) =>
  target === 'google/protobuf/descriptor.proto'
    ? require.resolve(`protobufjs/${target}`)
    : target.startsWith('google/')
      ? target
      : here(`../proto/${target}`);
root.loadSync('torqued/v1/dynamics.proto');
const requestType = root.lookupType('torqued.v1.ComputeRequest');
const replyType = root.lookupType('torqued.v1.ComputeReply');
const encode = (message) => requestType.encode(message).finish();
const decode = (bytes) => replyType.decode(bytes);

async function measure(times, ways) {
  const all = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  // The first half, in which node compiles, does not count.
  for (let turn = -times; turn < times; ++turn) {
    for (const [way, once] of Object.entries(ways)) {
      const start = performance.now();
      await once();
      if (turn >= 0) all[way].push(performance.now() - start);
    }
  }
  return Object.values(all).map((ms) => ms.sort((x, y) => x - y)[times >> 1]);
}

const server = await startLocalServer({
  models: [here('../../../examples/robots')],
});
const client = await connect(server.address);
const robot = await client.model('panda');
const bare = new grpc.Client(
  server.address,
  grpc.credentials.createInsecure(),
  { 'grpc.max_receive_message_length': -1 },
);
for (const [rows, times] of [
  [1, 3000],
  [10_000, 41],
]) {
  const states = {
    q: numbers(rows * JOINTS, 1),
    v: numbers(rows * JOINTS, 2),
    a: numbers(rows * JOINTS, 3),
  };
  const message = { model: 'panda', quantities: [1], options: { encoding: 2 } };
  for (const [name, data] of Object.entries(states)) {
    message[name] = { columns: JOINTS, f64: Buffer.from(data.buffer) };
  }
  const call = () =>
    new Promise((resolve, reject) => {
      bare.makeUnaryRequest(COMPUTE, encode, decode, message, (error, reply) =>
        error ? reject(error) : resolve(reply),
      );
    });
  const rounds = [];
  for (let k = 0; k < 5; ++k) {
    const [client, transport] = await measure(times, {
      client: () => robot.inverseDynamics(states),
      transport: call,
    });
    rounds.push({ client, transport, ratio: client / transport });
  }
  const [, , median] = rounds.sort((x, y) => x.ratio - y.ratio);
  console.log(
    `${rows} states: client ${median.client.toFixed(3)} ms, transport ` +
      `${median.transport.toFixed(3)} ms, ratio ${median.ratio.toFixed(2)}`,
  );
}
bare.close();
client.close();
await server.close();
