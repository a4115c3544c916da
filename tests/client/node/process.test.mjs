// Programs that use the client end by themselves, and their servers with them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startLocalServer } from 'torqued';
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

/** Runs a program; tells its output and how it ended. */
async function run(program, environment = {}) {
  const env = { ...process.env, ...environment };
  const words = ['--input-type=module', '--eval', program];
  const limits = { cwd: HERE, env, timeout: 20_000, killSignal: 'SIGKILL' };
  const end = await promisify(execFile)(process.execPath, words, limits).catch(
    (failure) => failure,
  );
  const { stdout, stderr, code = 0, signal = null } = end;
  return { output: stdout, errors: stderr, code, signal };
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

for (const last of ['await server.close();', '']) {
  test(`a program that closes its client ends: ${last}`, async () => {
    const end = await run(`${START} client.close(); ${last}`);
    assert.equal(end.code, 0, end.errors);
    assert.ok(await isGone(Number(end.output)));
  });
}

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

for (const [options, message] of [
  [{ arguments: ['--no-such-flag'] }, /no-such-flag/],
  [{ binary: '/no/such' }, /^the local server \/no\/such [^]*No such file/],
  [{ binary: '/bin/true' }, /^the local server \/bin\/true exited with code 0/],
]) {
  test(`a server that cannot start says why: ${message}`, () =>
    assert.rejects(startLocalServer(options), {
      name: 'LocalServerError',
      message,
    }));
}

test('the server is found by environment and path', async () => {
  const { PATH, TORQUED_BINARY } = process.env;
  try {
    delete process.env.TORQUED_BINARY;
    process.env.PATH = `${dirname(TORQUED_BINARY)}:${PATH}`;
    await (await startLocalServer()).close();
    process.env.PATH = '/nowhere';
    await assert.rejects(startLocalServer(), /TORQUED_BINARY/);
  } finally {
    Object.assign(process.env, { PATH, TORQUED_BINARY });
  }
});
