// A server of one's own, for as long as it is needed.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNames } from './message.js';
import { sleep } from './retry.js';

const LOG_BYTES = 4096;
// A program of util-linux: it has the kernel end the server when this process dies.
const SETPRIV = '/usr/bin/setpriv';
const POLL_MS = 5;
const START_MS = 15_000;
const STOP_MS = 10_000;

/** How a local server is started. */
export interface LocalServerOptions {
  /** The torqued executable. Absent: the one that the environment variable
   * TORQUED_BINARY names, else `torqued` on the PATH. */
  binary?: string;
  /** Directories whose *.urdf are registered under their file names. */
  models?: readonly string[];
  /** The model store, a file. Absent: a temporary one that goes with the
   * server. */
  store?: string;
  /** "HOST:PORT" or "unix:PATH". Absent: a Unix socket in a directory that only this
   * user may enter. */
  listen?: string;
  /** Further command-line arguments. */
  arguments?: readonly string[];
}

const NAMES = 'binary models store listen arguments'.split(' ');

/** The server could not be started; the text ends with what it wrote. */
export class LocalServerError extends Error {
  override readonly name = 'LocalServerError';
}

/** A server that this process has started; made by `startLocalServer`. */
export class LocalServer {
  /** The address for `connect`. */
  address = '';
  /** Id of the server's process. */
  readonly pid: number;
  /** The end of its output to stderr. */
  log = '';
  /** How it ended; undefined while it runs. */
  end: string | undefined;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  /** Its files are in `directory`, which goes with it. */
  constructor(binary: string, directory: string, options: LocalServerOptions) {
    const command = [
      ...(existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'TERM'] : []),
      ...[binary, '--listen', options.listen ?? `unix:${directory}/socket`],
      ...['--address-file', join(directory, 'address')],
      ...['--store', options.store ?? join(directory, 'models.db')],
      ...(options.models ?? []).flatMap((path) => ['--models', path]),
      ...(options.arguments ?? []),
    ];
    this.#child = spawn(command[0]!, command.slice(1), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.pid = this.#child.pid ?? -1;
    const stderr = this.#child.stderr as Socket;
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.log = (this.log + text).slice(-LOG_BYTES);
    });
    const removeFiles = () =>
      rmSync(directory, { recursive: true, force: true });
    const killAtExit = () => {
      this.#child.kill('SIGKILL');
      removeFiles();
    };
    this.#ended = new Promise((resolve) => {
      const note = (end: string) => {
        this.end ??= end;
        process.off('exit', killAtExit);
        removeFiles();
        resolve();
      };
      this.#child.on('error', (error) => note(`failed: ${error.message}`));
      this.#child.on('exit', (code, signal) =>
        note(signal ? `was ended by ${signal}` : `exited with code ${code}`),
      );
    });
    process.on('exit', killAtExit);
    // It is no reason for this process to go on.
    this.#child.unref();
    stderr.unref();
  }

  /** Ends the server, by force after 10 s, and removes its temporary files. */
  async close(): Promise<void> {
    if (this.end !== undefined) return;
    this.#child.ref();
    this.#child.kill('SIGTERM');
    const kill = () => this.#child.kill('SIGKILL');
    const timer = setTimeout(kill, STOP_MS);
    await this.#ended;
    clearTimeout(timer);
  }
}

/**
 * Starts a server and resolves once it serves, within 15 s. It ends with `close`, and when
 * this process exits; on Linux also when it is killed. Its files go with it.
 * Rejects with LocalServerError, or with TorquedError (INVALID_OPTION) for an unknown
 * option.
 */
export async function startLocalServer(
  options: LocalServerOptions = {},
): Promise<LocalServer> {
  checkNames(options, NAMES);
  const binary = options.binary ?? (process.env['TORQUED_BINARY'] || 'torqued');
  const directory = mkdtempSync(join(tmpdir(), 'torqued-'));
  const server = new LocalServer(binary, directory, options);
  const deadline = Date.now() + START_MS;
  while (true) {
    const file = join(directory, 'address');
    const text = await readFile(file, 'utf8').catch(() => '');
    // Without its newline it is still being written.
    if (text.endsWith('\n')) {
      server.address = text.trimEnd();
      return server;
    }
    const isLate = Date.now() >= deadline;
    if (isLate || server.end !== undefined) {
      const problem = server.end ?? 'did not serve in time';
      await server.close();
      throw new LocalServerError(
        `the local server ${binary} ${problem} (the environment variable ` +
          `TORQUED_BINARY names another one); it wrote:\n${server.log}`,
      );
    }
    await sleep(POLL_MS);
  }
}
