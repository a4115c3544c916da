// Calls of several kinds at once, repeated until told to stop, each held against
// the answer that it had before. As load.py tells it.

import process from 'node:process';
import { createInterface } from 'node:readline';

/** Tells of something that the run is to have met. */
export function saw(what) {
  console.log(`SAW ${what}`);
}

/** Repeats each of the functions until stdin ends; then `done` is called. */
export async function run(asks, done) {
  const expected = {};
  for (const kind of Object.keys(asks)) expected[kind] = await asks[kind]();
  const answered = Object.fromEntries(
    Object.keys(asks).map((kind) => [kind, 0]),
  );
  let failed = 0;
  let wrong = 0;
  let stopped = false;

  async function repeat(kind) {
    while (!stopped) {
      try {
        const same = (await asks[kind]()) === expected[kind];
        ++answered[kind];
        if (same) continue;
        ++wrong;
        console.log(`WRONG ${kind}`);
      } catch (error) {
        ++failed;
        console.log(`FAILED ${kind}: ${error.code}: ${error.message}`);
      }
    }
  }

  function counts() {
    return Object.entries(answered)
      .map(([kind, count]) => `${kind}=${count}`)
      .join(' ');
  }

  const repeated = Object.keys(asks).map(repeat);
  console.log('ready');
  for await (const _ of createInterface({ input: process.stdin })) {
    console.log(counts());
  }
  stopped = true;
  await Promise.all(repeated);
  done();
  console.log(`done ${counts()} failed=${failed} wrong=${wrong}`);
  process.exitCode = failed || wrong ? 1 : 0;
}
