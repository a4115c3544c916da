// The Node client under restarts: node_load.mjs ADDRESS

import process from 'node:process';
import { connect } from 'torqued';
import { run } from './load.mjs';

const JOINTS = 7;

function angles(rows, phase) {
  return Float64Array.from({ length: rows * JOINTS }, (_, k) =>
    Math.sin(phase + 0.01 * Math.floor(k / JOINTS) + (k % JOINTS)),
  );
}

function statesOf(rows) {
  return { q: angles(rows, 0), v: angles(rows, 1), a: angles(rows, 2) };
}

function bytesOf({ data }) {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString(
    'base64',
  );
}

const client = await connect(process.argv[2], { deadlineMs: 30_000 });
const robot = await client.model('panda');
const few = statesOf(10);
const many = statesOf(50_000);
const time = Float64Array.from({ length: 2001 }, (_, k) => 0.01 * k);
const motion = { time, q: angles(2001, 0).map((angle) => 0.3 * angle) };

const asks = {
  async unary() {
    const { tau, massMatrix } = await robot.compute(
      ['inverseDynamics', 'massMatrix'],
      few,
    );
    return bytesOf(tau) + bytesOf(massMatrix);
  },
  async batch() {
    return bytesOf((await robot.inverseDynamics(many)).tau);
  },
  async check() {
    const { tables, ...verdict } = await robot.checkTrajectory(motion, {
      derive: 'cubic',
      tables: ['tau'],
    });
    return JSON.stringify(verdict) + bytesOf(tables.tau);
  },
};

await run(asks, () => client.close());
