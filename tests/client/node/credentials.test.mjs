// TLS and tokens: who reaches a server, and what is refused.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { Client, connect, startLocalServer } from 'torqued';
import { MODELS, SOURCE } from './support.mjs';

const token = 'tqd_planner';
const directory = mkdtempSync(join(tmpdir(), 'torqued-node-test-'));
const file = (name) => join(directory, name);
const [tlsCa, stranger] = ['ca.pem', 'stranger.pem'].map(file);
const tlsServerName = 'localhost';
let servers, tls, mtls, plain;

before(async () => {
  process.env.http_proxy = 'http://proxy.invalid';
  const make =
    'from certificates import Authority; import sys; at = sys.argv[1];' +
    'ca = Authority(at); Authority(at, "stranger"); ca.issue("server");' +
    'ca.issue("arm", "DNS:arm.example")';
  execFileSync('/usr/bin/python3', ['-Bc', make, directory], {
    cwd: join(SOURCE, 'tests', 'support'),
  });
  const sha256 = createHash('sha256').update(token).digest('hex');
  writeFileSync(
    file('rights.toml'),
    `[arm]\nsan = "arm.example"\nrole = "evaluate"\n` +
      `[planner]\nsha256 = "${sha256}"\nrole = "evaluate"\nmodels = "planar_*"\n`,
  );
  writeFileSync(file('token'), `${token} \r\n`);
  writeFileSync(file('text'), 'two words');
  const settings = [
    ...['--tls-cert', file('server.pem'), '--tls-key', file('server.key')],
    ...['--tls-client-ca', tlsCa, '--rights', file('rights.toml')],
  ];
  servers = await Promise.all(
    ['tls:127.0.0.1:0', 'mtls:127.0.0.1:0', '127.0.0.1:0'].map((listen) =>
      startLocalServer({ listen, models: [MODELS], arguments: settings }),
    ),
  );
  [tls, mtls, plain] = servers.map(({ address }) => address);
  mtls = mtls.replace('mtls:127.0.0.1', 'tls:localhost');
});

after(async () => {
  await Promise.all(servers.map((server) => server.close()));
  rmSync(directory, { recursive: true });
});

async function asks(address, options) {
  const client = await connect(address, options);
  try {
    const robot = await client.model('planar_2r');
    // The second one through a stream.
    for (const rows of [1, 3000]) {
      const q = new Float64Array(2 * rows);
      assert.equal((await robot.massMatrix({ q })).massMatrix.rows, rows);
    }
    assert.ok(!inspect(client, { depth: 9 }).includes(token));
    await client.deleteModel('panda');
  } catch (error) {
    return `${error.code} ${error.message}`;
  } finally {
    client.close();
  }
}

for (const [what, address, options, why] of [
  [
    'a certificate',
    () => mtls,
    { tlsCa, tlsCert: file('arm.pem'), tlsKey: file('arm.key') },
    'arm has evaluate',
  ],
  ['a token', () => tls, { tlsCa, tlsServerName, token }, 'planner has'],
  ['a token within this machine', () => plain, { token }, 'planner has'],
  ['a file', () => plain, { tokenFile: file('token') }, 'planner has'],
  ['another token', () => plain, { token: 'x' }, 'UNAUTHENTICATED'],
  ['no token', () => plain, {}, 'UNAUTHENTICATED The call needs a token'],
]) {
  test(`the server answers a client with ${what}`, async () => {
    const answer = await asks(address(), options);
    assert.ok(answer.includes(why), answer);
    if (why.includes('has')) assert.match(answer, /^PERMISSION_DENIED/);
  });
}

test('a connection that is not trusted is not made', async () => {
  const local = tls.replace('127.0.0.1', 'localhost');
  for (const [address, options, why] of [
    [local, { tlsCa: stranger }, /certificate/],
    [tls, { tlsCa }, /127\.0\.0\.1/],
    [local, { tlsCa, tlsServerName: 'other' }, /other/],
    [mtls, { tlsCa }, /no connection/],
  ]) {
    const expected = { code: 'UNAVAILABLE', message: why };
    await assert.rejects(asks(address, { ...options, token }), expected);
  }
});

for (const [address, options, name, why] of [
  ['ipv4:127.0.0.1:1', { token }, 'token', 'only to tls:HOST:PORT'],
  ['127.example', { token }, 'token', 'not to 127.example:7421'],
  ['tls:a', { token: `${token}\n` }, 'token', 'no spaces'],
  ['tls:a', { token, tokenFile: 'a' }, 'tokenFile', 'as well'],
  ['tls:a', { tokenFile: file('text') }, 'tokenFile', 'no spaces'],
  ['tls:a', { tlsCa: file('text') }, 'tlsCa', 'text is not a PEM file'],
  ['tls:a', { tlsCa: '/nowhere' }, 'tlsCa', 'cannot read /nowhere: ENOENT'],
  ['tls:a', { tlsCert: tlsCa }, 'tlsCert', 'need each other'],
  ['localhost', { tlsServerName: 'a' }, 'tlsServerName', 'only tls:'],
]) {
  test(`${address} does not take ${inspect(options)}`, () => {
    const fits = (error) => {
      assert.equal(error.field, `options.${name}`);
      assert.ok(error.message.includes(why), error.message);
      return !inspect(error).includes(token);
    };
    assert.throws(() => new Client(address, options), fits);
  });
}
