import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'torqued';

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
  ...[
    'localhost:80',
    '[::1]:80',
    'unix:socket',
    'unix:/run/socket',
    'unix:///run/socket',
    'dns:///host',
    'dns:localhost:80',
    'ipv4:127.0.0.1:80',
    'unix:a:b',
  ].map((same) => [same, same]),
]) {
  test(`'${given}' means '${meant}'`, () => {
    assert.equal(addressOf(given), meant);
  });
}

for (const [given, why] of [
  ['', 'no host'],
  [':7421', 'no host'],
  ['127.0.0.1:99999', 'from 1 to 65535'],
  ['127.0.0.1:-1', 'from 1'],
  ['127.0.0.1:0', 'from 1'],
  ['127.0.0.1:7421/x', 'from 1'],
  ['localhost:', 'from 1'],
  ['localhost:http', 'from 1'],
  ['http://localhost:7421', 'no scheme'],
  ['::1:7421', 'brackets'],
  ['2001:db8::1:80', 'brackets'],
  ['[::1', 'no IPv6'],
  ['[localhost]', 'no IPv6'],
  ['host/path:80', 'no host'],
  ['unix:', 'no socket'],
  ['tls:', 'no host'],
  ['tls:unix:/a', 'from 1'],
  [null, 'null'],
  [7421, 'not 7421'],
]) {
  test(`${JSON.stringify(given)} is no address`, () => {
    assert.throws(
      () => addressOf(given),
      (error) => {
        assert.equal(error.reason, 'INVALID_OPTION');
        assert.equal(error.field, 'address');
        assert.ok(error.message.includes(why), error.message);
        return true;
      },
    );
  });
}
