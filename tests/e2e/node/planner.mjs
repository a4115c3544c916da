// A planner: registers a robot, asks for the torques of some states in both
// encodings and for those of a robot that does not exist, and prints what it
// got as JSON.
//
// Usage: node planner.mjs ADDRESS PROTO_DIRECTORY URDF STATES_JSON

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { promisify } from 'node:util';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';
import protobuf from 'protobufjs';

const DETAILS = 'grpc-status-details-bin';
const DEADLINE_MS = 30_000;

// A stub whose unary calls return promises.
function connect(Service, address) {
  const stub = new Service(address, grpc.credentials.createInsecure(), {
    'grpc.enable_http_proxy': 0,
  });
  const call = (method) => {
    const start = promisify((request, done) =>
      stub[method](request, { deadline: Date.now() + DEADLINE_MS }, done),
    );
    return (request) => start(request);
  };
  // Takes an array of messages; a promise of all replies.
  const stream = (method) => (requests) =>
    new Promise((resolve, reject) => {
      const replies = [];
      const both = stub[method]({ deadline: Date.now() + DEADLINE_MS });
      both.on('data', (reply) => replies.push(reply));
      both.on('error', reject);
      both.on('end', () => resolve(replies));
      requests.forEach((request) => both.write(request));
      both.end();
    });
  return { call, stream, close: () => stub.close() };
}

// Rows of numbers as an Array message.
const asValues = (rows) => ({ columns: rows[0].length, values: rows.flat() });
const asBytes = (rows) => ({
  columns: rows[0].length,
  f64: Buffer.from(Float64Array.from(rows.flat()).buffer),
});

// The numbers of an Array message. A Buffer need not be aligned.
function numbersOf(array) {
  if (array.f64.length === 0) return Float64Array.from(array.values);
  return new Float64Array(Uint8Array.from(array.f64).buffer);
}

// What the test compares: JSON alone would lose the sign of zero.
function report(reply) {
  const numbers = numbersOf(reply.tau);
  return {
    rows: reply.rows,
    columns: reply.tau.columns,
    payload: reply.tau.f64.length > 0 ? 'f64' : 'values',
    torques: Array.from(numbers),
    bits: Buffer.from(numbers.buffer).toString('hex'),
    joint_names: reply.echo.joint_names,
    revision: reply.echo.revision,
  };
}

function decodeError(error, protoDirectory) {
  const root = new protobuf.Root();
  root.resolvePath = (origin, target) =>
    target.startsWith('google/') ? target : `${protoDirectory}/${target}`;
  root.loadSync('torqued/v1/errors.proto');
  const decode = (type, bytes) =>
    root.lookupType(`torqued.v1.${type}`).decode(bytes);
  const status = decode('Status', error.metadata.get(DETAILS)[0]);
  const info = status.details.find((detail) =>
    detail.type_url.endsWith('/google.rpc.ErrorInfo'),
  );
  return {
    code: grpc.status[error.code],
    message: error.details,
    reason: decode('ErrorInfo', info.value).reason,
  };
}

async function main([address, protoDirectory, urdf, statesFile]) {
  const definition = protoLoader.loadSync(
    ['torqued/v1/model_registry.proto', 'torqued/v1/dynamics.proto'],
    {
      includeDirs: [protoDirectory],
      keepCase: true,
      longs: Number,
      defaults: true,
    },
  );
  const { torqued } = grpc.loadPackageDefinition(definition);
  const registry = connect(torqued.v1.ModelRegistry, address);
  const dynamics = connect(torqued.v1.Dynamics, address);
  const { q, v, a } = JSON.parse(readFileSync(statesFile, 'utf8'));

  const registered = await registry.call('RegisterModel')({
    name: 'node-robot',
    source: readFileSync(urdf),
  });
  const inverseDynamics = dynamics.call('InverseDynamics');
  const ask = (encode) =>
    inverseDynamics({
      model: 'node-robot',
      q: encode(q),
      v: encode(v),
      a: encode(a),
    });
  const chunks = [
    {
      start: { model: 'node-robot', quantities: ['QUANTITY_INVERSE_DYNAMICS'] },
    },
  ];
  for (let k = 0; k < q.length; k += 10) {
    const part = (rows) => asBytes(rows.slice(k, k + 10));
    chunks.push({ chunk: { q: part(q), v: part(v), a: part(a) } });
  }
  const replies = await dynamics.stream('Evaluate')(chunks);
  const result = {
    runtime: `node ${process.versions.node}`,
    revision: registered.model.revision,
    values: report(await ask(asValues)),
    f64: report(await ask(asBytes)),
    stream: {
      chunks: replies.map((reply) => [reply.first_row, reply.rows]),
      bits: replies
        .map((reply) =>
          Buffer.from(numbersOf(reply.results.tau).buffer).toString('hex'),
        )
        .join(''),
    },
    error: await inverseDynamics({ model: 'nobody', q: asValues(q) }).then(
      () => null,
      (error) => decodeError(error, protoDirectory),
    ),
  };
  registry.close();
  dynamics.close();
  console.log(JSON.stringify(result));
}

await main(process.argv.slice(2));
