// What the tests share: a server, states, and ways to compare.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import process from 'node:process';
import { after, before } from 'node:test';
import { connect, startLocalServer } from 'torqued';

export const SOURCE = process.env.TEST_SOURCE;
export const MODELS = join(SOURCE, 'examples', 'robots');

/** A server with the example models and a client of it, for all tests of a
 * file. */
export function withServer(options = {}) {
  const there = {};
  before(async () => {
    there.server = await startLocalServer({ models: [MODELS], ...options });
    there.client = await connect(there.server.address);
    if (!options.models) there.robot = await there.client.model('panda');
  });
  after(async () => {
    there.client.close();
    await there.server.close();
  });
  return there;
}

/** Numbers in [-1, 1) that are the same in every run. */
export function numbers(count, seed = 1) {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** States of a robot with n joints. */
export function randomStates(n, rows) {
  return {
    q: numbers(rows * n, 1),
    v: numbers(rows * n, 2),
    a: numbers(rows * n, 3),
    tau: numbers(rows * n, 4),
  };
}

/** Equal to the last bit, NaN and signs of zero included. */
export function assertSameBits(actual, expected) {
  assert.equal(actual.rows, expected.rows);
  assert.equal(actual.columns, expected.columns);
  assert.ok(bytesOf(actual.data).equals(bytesOf(expected.data)), 'other bits');
}

function bytesOf({ buffer, byteOffset, byteLength }) {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The largest difference over the largest magnitude. */
export function assertClose(actual, expected, tolerance = 1e-12) {
  assert.equal(actual.length, expected.length);
  const scale = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  for (let i = 0; i < expected.length; ++i) {
    const difference = Math.abs(actual[i] - expected[i]);
    assert.ok(
      difference <= tolerance * scale,
      `number ${i} is ${actual[i]}, not ${expected[i]}`,
    );
  }
}
