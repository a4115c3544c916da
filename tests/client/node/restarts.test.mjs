// What a server that stops refuses waits for the next one.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'torqued';
import { Channel } from '../client/node/dist/channel.js';
import { encode, enumType, messageType } from '../client/node/dist/protocol.js';
import { securityOf } from '../client/node/dist/security.js';
import { RestartableServer } from './restartable_server.mjs';
import { MODELS } from './support.mjs';

const EVALUATE = {
  path: '/torqued.v1.Dynamics/Evaluate',
  encode: (message) => encode(messageType('EvaluateRequest'), message),
  decode: (bytes) => messageType('EvaluateReply').decode(bytes),
};
const REGRESSOR = enumType('Quantity').values['QUANTITY_REGRESSOR'];

/** Returns when the server has begun to stop and waits for a stream whose replies
 * nobody reads. `client` repeats nothing. */
async function drain(server, client) {
  const security = securityOf(client.address, {});
  const channel = new Channel(client.address, security);
  const unread = channel.stream(EVALUATE, { deadline: Infinity });
  unread.on('error', () => {});
  unread.write({ start: { model: 'panda', quantities: [REGRESSOR] } });
  const f64 = new Uint8Array(8 * 700);
  for (let k = 0; k < 100; ++k) {
    unread.write({ chunk: { q: { columns: 7, f64 } } });
  }
  await once(unread, 'readable');
  server.terminate();
  const ask = async () => {
    for (;;) await client.serverInfo({ retry: false });
  };
  await assert.rejects(ask, { reason: 'DRAINING' });
}

test('a registration that was refused waits for the next server', async (t) => {
  const refusals = [];
  let again;
  // Once somebody has tried to connect in vain.
  const comeAgain = async () => {
    await server.stop();
    await server.takeOneConnection();
    await server.start();
  };
  const { server, client } = await RestartableServer.of(t, {
    onRetry: (error) => {
      refusals.push(error.reason);
      if (again) return;
      void server.kill();
      again = comeAgain();
    },
  });
  const other = await connect(client.address, { retry: false });
  try {
    const urdf = await readFile(join(MODELS, 'panda.urdf'));
    await drain(server, other);
    // What was done twice would be refused.
    const options = { expectedCurrent: '' };
    const { changed } = await client.registerUrdf('new', urdf, options);
    assert.ok(changed);
    assert.equal(refusals[0], 'DRAINING');
  } finally {
    await again;
    other.close();
  }
});
