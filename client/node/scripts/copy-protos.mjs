// Puts the contract beside the compiled code, which reads it when it starts.

import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
cpSync(here('../../../proto/torqued'), here('../dist/proto/torqued'), {
  recursive: true,
});
