// The cases that every client passes: see tests/conformance/README.md.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TorquedError } from 'torqued';
import { MODELS, SOURCE, withServer } from './support.mjs';

const TOLERANCE = 1e-10;

const file = join(SOURCE, 'tests', 'conformance', 'cases.json');
// Null stands for NaN in results alone, so it stays.
const { models, cases } = JSON.parse(readFileSync(file, 'utf8'), (_, value) =>
  ['NaN', 'Infinity', '-Infinity'].includes(value) ? Number(value) : value,
);

const whole = withServer({ models: [] });
const inParts = withServer({ models: [], arguments: ['--max-rows', '2'] });

const camel = (name) =>
  name
    .toLowerCase()
    .replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

const camelKeys = (object) =>
  Object.fromEntries(
    Object.entries(object ?? {}).map(([name, value]) => [camel(name), value]),
  );

function optionsOf(one) {
  const { terms, payload, externalWrenches, ...options } = camelKeys(
    one.options,
  );
  Object.assign(options, camelKeys(terms), camelKeys(one.operational_space));
  if (payload) options.payload = camelKeys(payload);
  if (externalWrenches) {
    options.externalWrenches = externalWrenches.map(camelKeys);
  }
  if (one.tip_wrench_reference_frame) {
    options.tipWrenchReferenceFrame = one.tip_wrench_reference_frame;
  }
  return options;
}

async function robotOf(one, { client }) {
  if (one.model in models) {
    const urdf = readFileSync(join(MODELS, models[one.model]));
    await client.registerUrdf(one.model, urdf);
  }
  return client.model(one.model);
}

function assertRow(actual, expected, tolerance, where) {
  const numbers = expected.flat(Infinity);
  const scale = Math.max(1, ...numbers.map((number) => Math.abs(number ?? 0)));
  assert.equal(actual.length, numbers.length, where);
  numbers.forEach((number, i) => {
    const holds =
      number === null
        ? Number.isNaN(actual[i])
        : Math.abs(actual[i] - number) <= tolerance * scale;
    assert.ok(holds, `${where}, number ${i}: ${actual[i]}, not ${number}`);
  });
}

// Results that are one number or name per state, as rows of it.
function rowOf(result, k) {
  return 'row' in result ? result.row(k) : [result[k]];
}

function assertResults(answer, { results, tolerance = TOLERANCE }) {
  for (const [name, expected] of Object.entries(results)) {
    const result = answer[camel(name)];
    expected.forEach((row, k) => {
      const where = `${name}, row ${k}`;
      const got = rowOf(result, k);
      if (typeof row === 'string') assert.deepEqual(got, [row], where);
      else assertRow(got, [row], tolerance, where);
    });
    assert.equal(result.rows ?? result.length, expected.length, name);
  }
}

function assertAnswer(answer, expected) {
  assert.equal(answer.rows, expected.rows);
  assertResults(answer, expected);
  const listed = expected.row_status ?? [];
  assert.equal(answer.rowStatus.length, listed.length);
  listed.forEach((status, i) => {
    for (const [key, value] of Object.entries(status)) {
      assert.deepEqual(answer.rowStatus[i][key], value);
    }
  });
  const bad = new Set(listed.map(({ row }) => row));
  answer.ok.forEach((ok, row) => assert.equal(ok, bad.has(row) ? 0 : 1));
  const { tip_frame: tipFrame, joint_names: jointNames } = expected;
  if (tipFrame !== undefined) assert.equal(answer.echo.tipFrame, tipFrame);
  if (jointNames) assert.deepEqual(answer.echo.jointNames, jointNames);
}

async function check(one, ask) {
  const { error: expected } = one.expect;
  if (!expected) return assertAnswer(await ask(), one.expect);
  return assert.rejects(ask, (error) => {
    if (!(error instanceof TorquedError)) throw error;
    for (const name of Object.keys(expected)) {
      assert.equal(error[name], expected[name], name);
    }
    return true;
  });
}

async function compute(one, there) {
  const robot = await robotOf(one, there);
  const quantities = one.quantities.map(camel);
  return robot.compute(quantities, camelKeys(one.states), optionsOf(one));
}

async function register(one) {
  const { name, urdf, expected_current: expectedCurrent } = one.register;
  await whole.client.registerUrdf(name, urdf, { expectedCurrent });
}

for (const one of cases) {
  if (one.register) {
    test(one.name, () => check(one, () => register(one)));
  } else {
    test(`${one.name}: one call`, () => check(one, () => compute(one, whole)));
    test(`${one.name}: parts`, () => check(one, () => compute(one, inParts)));
  }
}
