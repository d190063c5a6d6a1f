import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { builtModule } from '#test/support/processes/built.js';
import { httpClient } from '#test/support/status-client.js';

/** The demo as `npm run demo` starts it, with its clock at a time of today. @returns what it printed when it was ready, and its end by Ctrl-C */
const startDemo = async (time: string) => {
  const aheadMs = Date.parse(`${new Date().toISOString().slice(0, 10)}T${time}:00Z`) - Date.now();
  const program = `await (await import('${builtModule('test/console/demo/demo').href}')).demo(process.stdout, ${aheadMs}); process.exit();`;
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { PATH, HOME, LOGBOOK_DATA_DIR: '/nowhere', EVENTSTORE_URL: 'esdb://of-this-installation:2113' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async (): Promise<unknown> => {
    if (child.exitCode === null && child.kill('SIGINT')) await once(child, 'exit');
    return child.exitCode;
  };
  let printed = '';
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    if (line.includes('Ctrl-C')) return { printed, end, aheadMs };
  }
  throw new Error(`it ended: ${printed}`);
};

const valueIn = (printed: string, pattern: RegExp): string => pattern.exec(printed)?.[1] ?? '';

/** Of the overview: the clock of the server, and the newest usage. */
const TIMES = /"at":"([^"]*)".*"lastUsageAt":"([^"]*)/;
const HOUR = 3_600_000;

/** Points of a day, with the event that each has arrived in. */
type Explained = Readonly<{
  endpoints: readonly { metrics: readonly { points: readonly { at: string; event: { time: string } }[] }[] }[];
}>;

it.each(['00:05', '23:55'])(
  'the demo is filled up to %s, on stores of its own that are gone at its end',
  async (time) => {
    const { printed, end, aheadMs } = await startDemo(time);
    const url = valueIn(printed, /(http:\S+)\/console/);
    const key = valueIn(printed, /key +(\S+)/);
    const directory = valueIn(printed, /data +([^,]*)/);
    try {
      const root = httpClient(url);
      const read = async <Answer>(path: string) => (await root.get(path, { key })).json as Answer;
      expect((await fetch(`${url}/console`)).status).toBe(200);
      expect(await read('/audit/results')).toMatchObject({
        items: [{ name: 'Alpine Grid' }, { name: 'Baltic Cloud' }, { name: 'Coral Archive' }],
      });
      const yesterday = new Date(Date.now() + aheadMs - 24 * HOUR).toISOString().slice(0, 10);
      const { items } = await read<{ items: readonly { id: string }[] }>('/audit/results');
      const { endpoints } = await read<Explained>(`/audit/results/${items[0]?.id}/Critical/ALPINE-10/${yesterday}`);
      const points = endpoints.flatMap(({ metrics }) => metrics).flatMap((metric) => metric.points);
      expect(points.length).toBeGreaterThan(0);
      for (const { at: measured, event } of points) expect(Date.parse(event.time)).toBeGreaterThanOrEqual(Date.parse(measured));
      const asOf = { 'logbook-as-of': new Date(Date.now() + aheadMs - 8 * 24 * HOUR).toISOString() };
      const profiles = await root.get('/api/v2/metric_profiles', { key: 'month-alpine-key', headers: asOf });
      expect(profiles.json).toMatchObject({ data: [{ description: 'What every endpoint is checked for, at all sites' }] });
      const live = await fetch(`${url}/console/live`, { headers: { 'x-api-key': key } });
      let overview = '';
      for await (const part of live.body ?? []) {
        overview += Buffer.from(part).toString();
        if (TIMES.test(overview)) break;
      }
      const [at = 0, lastUsageAt = 0] = (TIMES.exec(overview) ?? []).slice(1).map((instant) => Date.parse(instant));
      expect(Math.abs(at - Date.now() - aheadMs)).toBeLessThan(HOUR);
      expect(at - lastUsageAt).toBeGreaterThanOrEqual(0);
      expect(at - lastUsageAt).toBeLessThan(24 * HOUR);
      expect(existsSync(directory)).toBe(true);
    } finally {
      expect(await end()).toBe(0);
    }
    expect(existsSync(directory)).toBe(false);
  },
  600_000,
); // thousands of calls, hour by hour
