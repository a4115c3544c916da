// Programs that use the client end by themselves, and their servers with them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LocalServerError, startLocalServer } from 'torqued';
import { MODELS } from './support.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const START = `
  import { connect, startLocalServer } from 'torqued';
  const server = await startLocalServer({ models: ['${MODELS}'] });
  const client = await connect(server.address);
  const robot = await client.model('panda');
  await robot.inverseDynamics({ q: new Float64Array(7 * 2000) });
  console.log(server.pid);
`;

/** Runs a program; tells its output, how it ended, and when. */
function run(program, environment = {}) {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { cwd: HERE, env: { ...process.env, ...environment } },
    );
    let [output, errors] = ['', ''];
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (errors += data));
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ output, errors, code, signal });
    });
  });
}

async function isGone(pid) {
  for (let k = 0; k < 1000; ++k) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await wait(20);
  }
  return false;
}

test('a program that closes its client ends by itself', async () => {
  const end = await run(`${START} client.close(); await server.close();`);
  assert.equal(end.signal, null, end.errors);
  assert.equal(end.code, 0, end.errors);
  assert.ok(await isGone(Number(end.output)));
});

test('closing leaves no connection open', async () => {
  const end = await run(`${START}
    import { readdirSync, readlinkSync } from 'node:fs';
    import { setTimeout as wait } from 'node:timers/promises';
    const sockets = () => readdirSync('/proc/self/fd').filter((file) => {
      try {
        return readlinkSync('/proc/self/fd/' + file).startsWith('socket:');
      } catch {
        return false; // that of the directory
      }
    }).length;
    const open = sockets();
    client.close();
    // Bounded by the end of the program, after 20 s.
    while (sockets() !== open - 1) await wait(5);
    console.log('closed');
    await server.close();`);
  assert.match(end.output, /closed\n/, end.errors);
});

test('closing the client alone is enough, and the server goes too', async () => {
  const end = await run(`${START} client.close();`);
  assert.equal(end.code, 0, end.errors);
  assert.ok(await isGone(Number(end.output)));
});

test('a server goes with a program that throws', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'torqued-node-test-'));
  const end = await run(`${START} throw new Error('it is over');`, {
    TMPDIR: directory,
  });
  assert.equal(end.code, 1);
  assert.match(end.errors, /it is over/);
  assert.ok(await isGone(Number(end.output)));
  assert.deepEqual(readdirSync(directory), []);
  await rm(directory, { recursive: true });
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL']) {
  test(`a server goes with a program ended by ${signal}`, async () => {
    const end = await run(`${START} process.kill(process.pid, '${signal}');`);
    assert.equal(end.signal, signal);
    assert.ok(await isGone(Number(end.output)));
  });
}

test('a server that cannot start says why', async () => {
  await assert.rejects(
    startLocalServer({ arguments: ['--no-such-flag'] }),
    (error) =>
      error instanceof LocalServerError && /no-such-flag/.test(error.message),
  );
  await assert.rejects(startLocalServer({ binary: '/no/such' }), {
    name: 'LocalServerError',
    message: /^the local server \/no\/such [^]*No such file/,
  });
  await assert.rejects(
    startLocalServer({ binary: '/bin/cat', startTimeoutMs: 300 }),
    LocalServerError,
  );
  await assert.rejects(startLocalServer({ binary: '/bin/true' }), {
    name: 'LocalServerError',
    message: /^the local server \/bin\/true exited with code 0/,
  });
});

test('the server is found by environment and path', async () => {
  const { PATH, TORQUED_SERVER } = process.env;
  try {
    delete process.env.TORQUED_SERVER;
    process.env.PATH = `${dirname(TORQUED_SERVER)}:${PATH}`;
    await (await startLocalServer()).close();
    process.env.PATH = '/nowhere';
    await assert.rejects(startLocalServer(), /TORQUED_SERVER/);
  } finally {
    Object.assign(process.env, { PATH, TORQUED_SERVER });
  }
});
