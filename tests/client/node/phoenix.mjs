// A server that comes again.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startLocalServer } from 'torqued';
import { MODELS } from './support.mjs';

/** A port of the loopback interface that nobody listens at. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Listens at a port where no server is: takes one connection, closes it and
 * listens no more. */
export async function nobodyButOneTry(port) {
  const listener = createServer();
  await new Promise((resolve) => listener.listen(port, '127.0.0.1', resolve));
  const [socket] = await once(listener, 'connection');
  socket.destroy();
  await new Promise((resolve) => listener.close(resolve));
}

/** A server that can be killed and started again at its address. */
export class Phoenix {
  #directory = mkdtempSync(join(tmpdir(), 'torqued-node-test-'));
  #server;

  async start() {
    this.port ??= await freePort();
    this.#server = await startLocalServer({
      listen: `127.0.0.1:${this.port}`,
      store: join(this.#directory, 'models.db'),
      models: [MODELS],
    });
    return this.#server.address;
  }

  kill() {
    process.kill(this.#server.pid, 'SIGKILL');
  }

  /** Begins to stop in order. */
  terminate() {
    process.kill(this.#server.pid, 'SIGTERM');
  }

  /** In order: it finishes what it has begun. */
  stop() {
    return this.#server.close();
  }

  async end() {
    await this.#server.close();
    rmSync(this.#directory, { recursive: true });
  }
}
