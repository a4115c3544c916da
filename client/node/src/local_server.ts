// A server of one's own, for as long as it is needed.

import { type ChildProcess, spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { checkNames } from './message.js';
import { sleep } from './retry.js';

const LOG_BYTES = 4096;
// Of util-linux: has the kernel end the server when this process dies.
const SETPRIV = '/usr/bin/setpriv';
const POLL_MS = 5;

/** How a local server is started. */
export interface LocalServerOptions {
  /** The torqued executable. Absent: the one that the environment variable
   * TORQUED_SERVER names, else `torqued` on the PATH. */
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
  /** Milliseconds until it serves. Absent: 15 000. */
  startTimeoutMs?: number;
  /** Milliseconds from SIGTERM to SIGKILL. Absent: 10 000. */
  stopTimeoutMs?: number;
}

const NAMES: readonly (keyof LocalServerOptions)[] = [
  'binary',
  'models',
  'store',
  'listen',
  'arguments',
  'startTimeoutMs',
  'stopTimeoutMs',
];

/** The server could not be started; the text ends with what it wrote. */
export class LocalServerError extends Error {
  override readonly name = 'LocalServerError';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Where `binary` leads. Throws LocalServerError where there is no such file. */
export function findServerBinary(binary?: string): string {
  const named = binary ?? process.env['TORQUED_SERVER'];
  if (named) {
    if (isExecutable(named)) return resolve(named);
    throw new LocalServerError(`${named} is no executable file`);
  }
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const found = join(directory, 'torqued');
    if (directory !== '' && isExecutable(found)) return resolve(found);
  }
  throw new LocalServerError(
    'there is no executable torqued on the PATH: name it with the environment ' +
      'variable TORQUED_SERVER, or add its directory to the PATH',
  );
}

/** A server that this process has started; made by `startLocalServer`. */
export class LocalServer {
  /** What `connect` takes. */
  readonly address: string;
  /** Of the server's process. */
  readonly pid: number;
  readonly #process: ServerProcess;

  /** Made by `startLocalServer`. */
  constructor(address: string, process: ServerProcess) {
    this.address = address;
    this.pid = process.pid;
    this.#process = process;
  }

  /** What it wrote to stderr so far, the end of it. */
  get log(): string {
    return this.#process.log;
  }

  /** Ends the server and removes its temporary files. */
  close(): Promise<void> {
    return this.#process.stop();
  }
}

/** The child and its temporary directory. */
class ServerProcess {
  readonly directory = mkdtempSync(join(tmpdir(), 'torqued-'));
  log = '';
  /** How it ended; undefined while it runs. */
  end: string | undefined;
  // A longer path than a Unix socket may have leaves a port of this machine.
  readonly #listen =
    Buffer.byteLength(this.directory) <= 100
      ? `unix:${this.directory}/socket`
      : '127.0.0.1:0';
  readonly #child: ChildProcess;
  readonly #stopTimeoutMs: number;
  readonly #ended: Promise<void>;
  readonly #killAtExit = () => {
    this.#child.kill('SIGKILL');
    this.#removeFiles();
  };

  constructor(binary: string, options: LocalServerOptions) {
    this.#stopTimeoutMs = options.stopTimeoutMs ?? 10_000;
    this.#child = spawn(
      existsSync(SETPRIV) ? SETPRIV : binary,
      [
        ...(existsSync(SETPRIV) ? ['--pdeathsig', 'TERM', binary] : []),
        ...['--listen', options.listen ?? this.#listen],
        ...['--address-file', this.addressFile],
        ...['--store', options.store ?? join(this.directory, 'models.db')],
        ...(options.models ?? []).flatMap((path) => ['--models', path]),
        ...(options.arguments ?? []),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const { stderr } = this.#child;
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log = (this.log + text).slice(-LOG_BYTES);
    });
    this.#ended = new Promise((resolve) => {
      const note = (end: string) => {
        this.end ??= end;
        process.off('exit', this.#killAtExit);
        this.#removeFiles();
        resolve();
      };
      this.#child.on('error', (error) => note(`failed: ${error.message}`));
      this.#child.on('exit', (code, signal) =>
        note(signal ? `was ended by ${signal}` : `exited with code ${code}`),
      );
    });
    process.on('exit', this.#killAtExit);
    // It is no reason for this process to go on.
    this.#child.unref();
    (stderr as unknown as { unref(): void } | null)?.unref();
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get addressFile(): string {
    return join(this.directory, 'address');
  }

  async stop(): Promise<void> {
    if (this.end !== undefined) return;
    this.#child.ref();
    this.#child.kill('SIGTERM');
    const timer = setTimeout(
      () => this.#child.kill('SIGKILL'),
      this.#stopTimeoutMs,
    );
    await this.#ended;
    clearTimeout(timer);
  }

  #removeFiles(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

// Without its newline it is still being written.
async function firstLine(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const end = text.indexOf('\n');
  return end < 0 ? undefined : text.slice(0, end);
}

/**
 * Starts a server and resolves once it serves. It ends with `close`, and when
 * this process exits; on Linux also when it is killed. Its files go with it.
 * Rejects with LocalServerError, or with TorquedError (INVALID_OPTION) for what is
 * no option.
 */
export async function startLocalServer(
  options: LocalServerOptions = {},
): Promise<LocalServer> {
  checkNames(options, NAMES);
  const binary = findServerBinary(options.binary);
  const process = new ServerProcess(binary, options);
  const deadline = Date.now() + (options.startTimeoutMs ?? 15_000);
  while (true) {
    const address = await firstLine(process.addressFile);
    if (address !== undefined) return new LocalServer(address, process);
    const isLate = Date.now() >= deadline;
    if (isLate || process.end !== undefined) {
      const problem = process.end ?? 'did not serve in time';
      await process.stop();
      throw new LocalServerError(
        `the local server ${binary} ${problem}; it wrote:\n${process.log}`,
      );
    }
    await sleep(POLL_MS);
  }
}
