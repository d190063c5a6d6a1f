import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from 'redis';
import { newEvent } from '#test/contracts/event-store/fixture.js';
import { Cleanup } from '#test/support/cleanup.js';
import { setWrong, wrongClock } from '#test/support/clocks/wrong-clock.js';
import { openStore } from '#test/support/eventstoredb/store-lab.js';
import { freePorts } from '#test/support/processes/free-ports.js';
import { KeptProcess, type Program } from './process.js';
import { eventStoreTestServer, redisServer } from './programs.js';

const HOUR_S = 3_600;
/** More than the machine ever stands still, less than any jump. */
const ABOUT_S = 600;

/** Hours by which a clock is ahead. @param seconds what it shows, since 1970-01-01 UTC */
const hoursAhead = (seconds: number): number => {
  const by = seconds - Date.now() / 1_000;
  const hours = Math.round(by / HOUR_S) + 0; // never -0
  expect(Math.abs(by - hours * HOUR_S)).toBeLessThan(ABOUT_S);
  return hours;
};

describe('a wrong clock', () => {
  let cleanup: Cleanup;
  let folder: string;
  let clock: string;
  const set = (hours: number): Promise<void> => setWrong(clock, hours * HOUR_S * 1_000);
  const start = async (program: Program): Promise<number> => {
    const served = { port: 0 };
    const server = new KeptProcess(program, (port) => {
      served.port = port;
    });
    await server.up();
    cleanup.defer(() => server.down('SIGKILL'));
    return served.port;
  };
  beforeEach(async () => {
    cleanup = new Cleanup();
    folder = await mkdtemp(join(tmpdir(), 'logbook-wrong-clock-'));
    cleanup.defer(() => rm(folder, { recursive: true, force: true }));
    clock = join(folder, 'clock');
    await set(0);
  });
  afterEach(() => cleanup.run());

  it('dates events by what the file says, either way, while positions and revisions go on', async () => {
    const port = await start(eventStoreTestServer('events', clock, join(folder, 'log')));
    const store = openStore({ connectionString: `esdb://127.0.0.1:${port}?tls=false` });
    const isDated = async (hours: number): Promise<boolean> => {
      await store.append('test.dated-1', [newEvent()], 'any');
      const [last] = await store.readStream('test.dated-1', { direction: 'backwards', limit: 1 });
      return hoursAhead((last?.recordedAt ?? 0) / 1_000) === hours;
    };
    for (const hours of [0, 6, -1, 0]) {
      await set(hours);
      // The process looks at the file every 100 ms.
      while (!(await isDated(hours)));
    }
    const events = await store.readStream('test.dated-1', { limit: 100_000 });
    expect(events.map(({ revision }) => Number(revision))).toEqual(events.map((_, index) => index));
    const positions = events.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((one, other) => Number(one - other)));
    const dates = events.map(({ recordedAt }) => recordedAt);
    expect(dates).not.toEqual(dates.toSorted((one, other) => one - other));
  });

  const itOfRedis = wrongClock('') === undefined ? it.skip : it;
  const startRedis = async () => {
    const [port = 0] = await freePorts(1);
    await start(redisServer('redis', port, clock, folder));
    const client = await createClient({ url: `redis://127.0.0.1:${port}` }).connect();
    cleanup.defer(() => client.destroy());
    return (...command: readonly string[]): Promise<unknown> => client.sendCommand(command);
  };

  itOfRedis('is what Redis shows, either way, from one call to the next', async () => {
    const send = await startRedis();
    for (const hours of [0, 1, -6, 6, 0]) {
      await set(hours);
      const [seconds] = (await send('TIME')) as readonly string[];
      expect(hoursAhead(Number(seconds))).toBe(hours);
    }
  });

  itOfRedis('ends what expires in Redis when it jumps forward, and lets it live longer when it jumps back', async () => {
    const send = await startRedis();
    await send('SET', 'lease', 'mine', 'EX', `${2 * HOUR_S}`);
    await set(-1);
    expect(Math.round(Number(await send('TTL', 'lease')) / HOUR_S)).toBe(3);
    await set(3);
    expect(await send('GET', 'lease')).toBeNull();
    await set(0);
    expect(await send('GET', 'lease')).toBeNull();
  });
});
