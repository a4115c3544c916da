// The programs of README.md and docs/node.md run, and end.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SOURCE } from './support.mjs';

const run = promisify(execFile);
const HERE = dirname(fileURLToPath(import.meta.url));
const FENCE = /^```js (\w+)\n([^]*?)^```$/gm;

const pages = ['README.md', 'docs/node.md']
  .map((page) => readFileSync(join(SOURCE, page), 'utf8'))
  .join('');
const programs = Array.from(pages.matchAll(FENCE), ([, name, text]) => ({
  name,
  text,
}));

// What "a client and a robot as above" stands for.
const BEFORE = `
  import { connect as connect0, startLocalServer as start0 } from 'torqued';
  const server = await start0({ models: ['examples/robots'] });
  const client = await connect0(server.address);
  const robot = await client.model('panda');
`;
const AFTER = 'client.close(); await server.close();';

async function outputOf({ name, text }) {
  const file = join(HERE, `documented-${name}.mjs`);
  const program =
    name === 'first' || name === 'readme' ? text : BEFORE + text + AFTER;
  writeFileSync(file, program);
  const { stdout } = await run(process.execPath, [file], {
    cwd: SOURCE,
    timeout: 60_000,
  });
  return stdout;
}

const EXPECTED = {
  readme: /^Float64Array\(6\) \[\s+-?[\d.e-]+,\s+-6\.0475/,
  first: /panda_joint7 -?[\d.e-]+ N m/,
  models: /elbow_joint.*tool0\n$/s,
  states: /^$/,
  options: /^3 3 -?\d+\.\d+ -?\d+\.\d+\n$/,
  rows: /^$/,
  check: /^false 300 panda_joint2\ntrue\n$/,
};

test('every program is known', () => {
  assert.deepEqual(
    programs.map(({ name }) => name),
    Object.keys(EXPECTED),
  );
});

for (const program of programs) {
  test(`the program "${program.name}" does what it says`, async () => {
    assert.match(await outputOf(program), EXPECTED[program.name]);
  });
}
