// A server that is stopped or killed and started again.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { connect, startLocalServer } from 'torqued';
import { MODELS } from './support.mjs';

/** An address where no server can listen. */
export const NO_SERVER = 'unix:/dev/null/socket';

/** A server that can be killed and started again at its Unix socket. */
export class RestartableServer {
  #directory = mkdtempSync(join(tmpdir(), 'torqued-node-test-'));
  #socket = join(this.#directory, 'socket');
  #server;
  #flags;

  constructor(...flags) {
    this.#flags = flags;
  }

  async start() {
    this.#server = await startLocalServer({
      listen: `unix:${this.#socket}`,
      store: join(this.#directory, 'models.db'),
      models: [MODELS],
      arguments: this.#flags,
    });
    return this.#server.address;
  }

  /** Resolves when its process is gone, and with it the lock of the store. */
  kill() {
    process.kill(this.#server.pid, 'SIGKILL');
    return this.#server.close();
  }

  /** Begins to stop in order. */
  terminate() {
    process.kill(this.#server.pid, 'SIGTERM');
  }

  /** In order: it finishes what it has begun. */
  stop() {
    return this.#server.close();
  }

  /** Listens where no server is: takes one connection, closes it and listens no
   * more. */
  async takeOneConnection() {
    rmSync(this.#socket, { force: true }); // of a server that was killed
    const listener = createServer();
    listener.listen(this.#socket);
    const [socket] = await once(listener, 'connection');
    socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  }

  /** A started one and a client of it, both for one test. */
  static async of(t, options, ...flags) {
    const server = new RestartableServer(...flags);
    const client = await connect(await server.start(), options);
    t.after(() => {
      client.close();
      return server.end();
    });
    return { server, client, robot: await client.model('panda') };
  }

  async end() {
    await this.#server.close();
    rmSync(this.#directory, { recursive: true });
  }
}
