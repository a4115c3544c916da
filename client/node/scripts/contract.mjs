// Generates src/contract.ts before the compiler, and puts the contract beside the
// compiled code, which reads it when it starts.

import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const protos = here('../../../proto');
const files = readdirSync(`${protos}/torqued/v1`).map(
  (name) => `torqued/v1/${name}`,
);
execFileSync('protoc', [
  `-I${protos}`,
  `--plugin=${protos}/plugin/protoc-gen-torqued`,
  `--torqued_out=typescript:${here('../src')}`,
  ...files,
]);
cpSync(`${protos}/torqued`, here('../dist/proto/torqued'), {
  recursive: true,
});
