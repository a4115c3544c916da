// What is published: types, and the files of the package.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as torqued from 'torqued';
import { SOURCE } from './support.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const PACKAGE = join(HERE, '..', 'client', 'node');
const TSC = join(PACKAGE, 'node_modules', 'typescript', 'bin', 'tsc');

test('a program in TypeScript sees the types, and its mistakes', () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      TSC,
      ...['--noEmit', '--strict', '--skipLibCheck'],
      ...['--target', 'es2022', '--module', 'nodenext'],
      ...['--typeRoots', join(PACKAGE, 'node_modules', '@types')],
      ...['--types', 'node', join('types', 'planner.mts')],
    ],
    { cwd: HERE, encoding: 'utf8' },
  );
  assert.equal(stdout, '');
  assert.equal(status, 0);
});

test('a packed package has code, types and contract, and nothing else', () => {
  const { stdout } = spawnSync(
    'npm',
    ['pack', '--dry-run', '--json', '--ignore-scripts'],
    { cwd: PACKAGE, encoding: 'utf8' },
  );
  const paths = JSON.parse(stdout)[0].files.map(({ path }) => path);
  for (const path of [
    'index.js',
    'index.d.ts',
    'proto/torqued/v1/dynamics.proto',
  ]) {
    assert.ok(paths.includes(`dist/${path}`), path);
  }
  const known = /^(package\.json|README\.md|dist\/[\w/]+\.(js|d\.ts|proto))$/;
  for (const path of paths) assert.match(path, known);
});

test('the lock file names no registry', () => {
  const lock = readFileSync(join(PACKAGE, 'package-lock.json'), 'utf8');
  assert.doesNotMatch(lock, /"resolved"/);
});

test('without node the tests are skipped, with the way to install it', () => {
  const bin = mkdtempSync(join(tmpdir(), 'torqued-node-test-'));
  symlinkSync('/usr/bin/dirname', join(bin, 'dirname'));
  const { status, stderr } = spawnSync(
    '/bin/sh',
    [join(SOURCE, 'tests/client/node/install.sh'), join(bin, 'out')],
    { env: { PATH: bin }, encoding: 'utf8' },
  );
  rmSync(bin, { recursive: true });
  assert.equal(status, 77);
  assert.match(stderr, /apt-get install nodejs npm/);
});

test('what is exported is what is documented', () => {
  const documented =
    'Client LocalServer LocalServerError Matrix RESULT_TABLES Robot RowError ' +
    'TorquedError connect startLocalServer';
  assert.equal(Object.keys(torqued).sort().join(' '), documented);
});
