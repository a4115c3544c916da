import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, connect } from 'torqued';

function addressOf(given) {
  const client = new Client(given);
  client.close();
  return client.address;
}

for (const [given, meant] of [
  ['localhost', 'localhost:7421'],
  ['192.0.2.7', '192.0.2.7:7421'],
  ['[::1]', '[::1]:7421'],
  ['::1', '[::1]:7421'],
  ['::', '[::]:7421'],
  ['tls:::1', 'tls:[::1]:7421'],
  ['2001:db8::192.0.2.7', '[2001:db8::192.0.2.7]:7421'],
  ['2001:db8::1', '[2001:db8::1]:7421'],
  ['fe80::1%eth0', '[fe80::1%eth0]:7421'],
  ['1:2:3:4:5:6:7:8', '[1:2:3:4:5:6:7:8]:7421'],
  ...(
    'localhost:80 [::1]:80 unix:socket unix:/run/socket unix:///run/socket ' +
    'dns:///host dns:localhost:80 ipv4:127.0.0.1:80 unix:a:b'
  )
    .split(' ')
    .map((same) => [same, same]),
]) {
  test(`'${given}' means '${meant}'`, () => {
    assert.equal(addressOf(given), meant);
  });
}

for (const given of ['', 'tls:', null, 7421]) {
  test(`${JSON.stringify(given)} is no address`, () => {
    assert.throws(() => addressOf(given), {
      reason: 'INVALID_OPTION',
      field: 'address',
    });
  });
}

for (const given of ['127.0.0.1:99999', 'http://localhost:7421', '[::1']) {
  test(`no server is at '${given}'`, () =>
    assert.rejects(connect(given), {
      name: 'TorquedError',
      code: 'UNAVAILABLE',
    }));
}
