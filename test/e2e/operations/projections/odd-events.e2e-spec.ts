import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventData } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { isChained } from '#domain/integrity/chained.js';
import { categoryOf, type RecordedEvent, UNREADABLE } from '#domain/shared/events.js';
import { serving } from '#test/e2e/serving.js';
import { World } from '#test/support/as-of/world.js';
import { distributed, dropReadModels, embedded, OPERATOR } from '#test/support/deployments.js';
import { writeEvents } from '#test/support/eventstoredb/foreign-writer.js';
import { unknownEvents, unreadableEvents } from '#test/support/eventstoredb/odd-events.js';
import { eventually } from '#test/support/eventually.js';
import { openLogOf } from '#test/support/plant.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { skipAll } from '#test/support/projections/skip-set-aside.js';
import type { Answer } from '#test/support/status-client.js';

type Json = Readonly<Record<string, unknown>>;
type Status = Readonly<{
  name: string;
  state: string;
  failure: object | null;
  lag: { events: number } | null;
  setAside: { partitions: number; events: number };
}>;

const MASTER_KEY = { LOGBOOK_MASTER_KEY: randomBytes(32).toString('base64') };

describe('events that the program cannot read, in every stream that it has on EventStoreDB,', () => {
  const scene = serving(distributed, { LOGBOOK_HISTORY: 'on', ...MASTER_KEY });
  const world = new World(() => scene.root, 36);
  /** The test server shares its processor with all others: where it does not answer for seconds calls are refused for now, as they should be. */
  const patiently = (call: () => Promise<Answer>): Promise<Answer> => eventually(call).until(({ status }) => status !== 503);
  const ops = (path: string) => patiently(() => scene.root.get(path, { key: OPERATOR }));
  const eventStore = () => scene.deployment.environment.EVENTSTORE_URL ?? '';
  const projections = async (): Promise<readonly Status[]> => {
    const { status, text, json } = await ops('/ops/projections');
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    return (json as { items: readonly Status[] }).items;
  };

  const events = async (): Promise<readonly RecordedEvent[]> => {
    const log = await openLogOf(scene.deployment);
    const found: RecordedEvent[] = [];
    for (let after = 0n; ; ) {
      const page = await log.readAll({ after, limit: 1_000 });
      found.push(...page.events);
      after = page.position;
      if (page.caughtUp) break;
    }
    await log.close();
    return found;
  };

  /** A stream of each category, and a new one of it. */
  const streams = async (): Promise<readonly string[]> => {
    const byCategory = new Map((await events()).map(({ stream }) => [categoryOf(stream), stream]));
    return [...byCategory].flatMap(([category, stream]) => [stream, ...(stream.endsWith('-global') ? [] : [`${category}-of-others`])]);
  };

  const readsOfOps = async (): Promise<readonly (readonly [path: string, answer: Answer])[]> => {
    const names = (await projections()).map(({ name }) => `/ops/projections/${name}`);
    const described = Object.keys(((await scene.root.get('/openapi.json')).json as { paths: object }).paths);
    const plain = described.filter((path) => /^\/(ops|audit)\//.test(path) && !/[{]|stream|live/.test(path));
    const paths = [
      ...plain,
      ...names.flatMap((path) => [path, `${path}/partitions`, `${path}/skips`]),
      '/health',
      '/health/ready',
      '/metrics',
    ];
    const answers: (readonly [string, Answer])[] = [];
    for (const path of new Set(paths)) answers.push([path, await ops(path)]);
    return answers;
  };
  const expectSound = async (): Promise<void> => {
    for (const [path, { status, text }] of await readsOfOps()) expect([path, status < 500 ? '' : text]).toEqual([path, '']);
  };

  const intact = async (): Promise<unknown> => {
    const begun = await eventually(() => scene.root.post('/audit/verifications', { key: OPERATOR })).until(({ status }) => status === 202);
    const done = ({ json }: Answer) => (json as Readonly<{ state: string }>).state !== 'running';
    return (await eventually(() => ops(begun.headers.get('location') ?? '')).until(done)).json;
  };

  const untilFollowed = async (): Promise<void> => {
    expect((await scene.root.post('/audit/anchors', { key: OPERATOR })).status).toBeLessThan(300);
    const shown = await eventually(() => ops('/ops/projections')).until(
      ({ status, json }) =>
        status === 200 &&
        (json as { items: readonly Status[] }).items.every(
          ({ failure, lag, state }) => failure || (lag?.events === 0 && /^(live|degraded)$/.test(state)),
        ),
    );
    expect(shown.status).toBe(200);
    await eventually(() => ops('/audit/events?limit=1')).until(({ status }) => status === 200);
  };

  /** One in each stream, of each kind in turn: the kinds differ only until they are read, which is the same for all streams. */
  const plantIn = async (all: readonly string[], odd: readonly EventData[]): Promise<void> => {
    for (const [number, stream] of all.entries())
      await writeEvents(eventStore(), stream, [{ ...(odd[number % odd.length] as EventData), id: randomUUID() }]);
  };

  const expectServed = async (): Promise<void> => {
    await untilFollowed();
    expect((await scene.root.get('/health/ready')).status).toBe(200);
    for (const { name, failure } of await projections()) expect([name, failure]).toEqual([name, null]);
    await expectSound();
    expect(await intact()).toMatchObject({ intact: true, problem: null });
  };

  it('stop nothing', async () => {
    await world.begin();
    const all = await streams();
    expect(all.length).toBeGreaterThan(40);
    await plantIn(all.filter(isChained), Object.values(unreadableEvents('TenantRegistered')));
    await expectServed();
  });

  it('are exported, and imported into another log', async () => {
    const file = join(scene.deployment.dataDirectory, 'copy.logbook');
    const exported = await runLogbook(['export', file], { ...scene.deployment.environment, ...MASTER_KEY });
    expect(exported.code === 0 ? '' : exported.stderr).toBe('');
    const other = await embedded();
    const imported = await runLogbook(['import', file, '--unverified'], { ...other.environment, ...MASTER_KEY });
    expect(imported.code === 0 ? '' : imported.stderr).toBe('');
    expect(await runLogbook(['audit', 'verify'], { ...other.environment, ...MASTER_KEY })).toMatchObject({ code: 0 });
    await rm(other.dataDirectory, { recursive: true });
  });

  it('stop nothing where they stand among the keys and the chain, or are of types and versions of another release', async () => {
    const all = await streams();
    await plantIn(
      all.filter((stream) => !isChained(stream)),
      Object.values(unreadableEvents('LeavesChained')),
    );
    await plantIn(all, Object.values(unknownEvents('TenantRegistered')));
    await expectServed();
    const file = join(scene.deployment.dataDirectory, 'unknown.logbook');
    const exported = await runLogbook(['export', file], { ...scene.deployment.environment, ...MASTER_KEY });
    expect(exported.code === 0 ? '' : exported.stderr).toBe('');
  });

  it('are in the audit', async () => {
    const found = (await ops(`/audit/events?type=${UNREADABLE}&limit=100`)).json as { items: readonly Json[] };
    expect(found.items.length).toBeGreaterThan(50);
    expect(found.items[0]).toMatchObject({ type: UNREADABLE, actor: { kind: 'system', id: 'unknown' }, data: null });
  });

  it('let every service take writes', async () => {
    const before = (await events()).length;
    for (let step = 0; step < 60; step++) await world.change().catch(refusedAsSetAside);
    expect((await events()).length).toBeGreaterThan(before + 20);
    await untilFollowed();
    expect(await intact()).toMatchObject({ intact: true });
  });

  it('stop no node that begins with nothing but the log', async () => {
    await scene.restart(async () => {
      await rm(join(scene.deployment.dataDirectory, 'audit'), { recursive: true });
      await dropReadModels(scene.deployment);
    });
    await untilFollowed();
    await expectSound();
    expect(await intact()).toMatchObject({ intact: true });
  });

  it('are skipped one by one, with a reason', async () => {
    await skipAll(scene.root, 'not ours');
    for (const { name, setAside } of await projections()) expect([name, setAside]).toEqual([name, { partitions: 0, events: 0 }]);
    expect((await scene.root.get('/health')).json).not.toHaveProperty('partitionsSetAside');
    for (let step = 0; step < 30; step++) await world.change();
  }, 1_800_000); // a hundred builds, one after the other
});

/** Calls that look something up in a partition that is set aside are answered 503, as the operators' guide says. */
const refusedAsSetAside = (error: unknown): void => {
  if (!(error instanceof Error && error.message.includes(': 503 ') && error.message.includes('paused after an internal error')))
    throw error;
};
