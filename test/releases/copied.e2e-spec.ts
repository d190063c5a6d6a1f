import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withClock } from '#test/faults/parts/programs.js';
import { type Deployment, embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { runLogbook, startLogbook } from '#test/support/processes/logbook-process.js';
import { answersOf, RELEASES, RETENTION_OF_RELEASES, unpackData } from '#test/support/releases.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

type Item = Readonly<{ index: number; hash: string; position?: string; expired?: true }>;
type Environment = Readonly<Record<string, string>>;

/** Pages of seven, in the order that is asked for: a run of expired events is longer. */
const eventsOf = async (root: HttpClient, order: 'asc' | 'desc'): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for (let after = ''; ; ) {
    const { status, text, json } = await eventually(() =>
      root.get(`/audit/events?form=stored&limit=7&order=${order}${after}`, { key: OPERATOR }),
    ).until((answer) => answer.status !== 503); // the chain may have appended just now
    expect([status, text.slice(0, status === 200 ? 0 : undefined)]).toEqual([200, '']);
    const page = json as { items: readonly Item[]; next: string | null };
    items.push(...page.items);
    if (page.next === null) return items;
    after = `&after=${page.next}`;
  }
};

/** What the events of the release are on a server: everything but where the log has them. */
const eventsAt = async (environment: Environment, size = Number.POSITIVE_INFINITY) => {
  const server = await startLogbook(environment);
  try {
    const root = httpClient(server.url);
    await untilReady(root);
    const { auditIndex } = await eventually(async () => (await root.get('/health')).json as { auditIndex: { status: string } }).until(
      (health) => health.auditIndex.status === 'live',
    );
    expect(auditIndex).toMatchObject({ status: 'live', failure: null });
    const forwards = await eventsOf(root, 'asc');
    expect(forwards.map(({ index }) => index)).toEqual(forwards.map((_, index) => index));
    expect((await eventsOf(root, 'desc')).filter(({ index }) => index < forwards.length)).toEqual([...forwards].reverse());
    for (const { index, position } of forwards.filter((item) => item.position !== undefined && item.index % 40 === 0)) {
      const { json } = await root.get(`/audit/events?limit=1&order=desc&after=${BigInt(position ?? 0) + 1n}`, { key: OPERATOR });
      expect((json as { items: readonly Item[] }).items).toMatchObject([{ index, position }]);
    }
    return forwards.slice(0, size).map(({ position: _position, ...event }) => event);
  } finally {
    await server.stop();
  }
};

describe.each(RELEASES)('the log of %s, in which expired events end batches of leaves,', (release) => {
  let root: string;
  let deployment: Deployment;
  let kept: Environment;
  let before: Awaited<ReturnType<typeof eventsAt>>;
  const at = (name: string): Environment => ({ ...kept, LOGBOOK_DATA_DIR: join(root, name) });
  const logbook = async (name: string, ...words: readonly string[]): Promise<void> => {
    const { code, stderr } = await runLogbook(words, at(name));
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  };
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'logbook-releases-'));
    deployment = await embedded();
    const clock = join(root, 'clock');
    await writeFile(clock, `${(Date.parse(answersOf(release).clock) - Date.now()) / 1_000}`); // no message expires meanwhile
    kept = { ...deployment.environment, ...RETENTION_OF_RELEASES, ...withClock(clock) };
    await unpackData(release, join(root, 'kept'));
    before = await eventsAt(at('kept'));
    expect(before.filter(({ expired }) => expired).length).toBeGreaterThan(16);
  });
  afterAll(async () => {
    await deployment.dispose();
    await rm(root, { recursive: true, force: true });
  });

  const withKeys = (name: string): Promise<void> => cp(join(root, 'kept', 'keys'), join(root, name, 'keys'), { recursive: true });

  it('is audited as before when audit/ is lost', async () => {
    await rm(join(root, 'kept', 'audit'), { recursive: true });
    expect(await eventsAt(at('kept'), before.length)).toEqual(before);
  });

  it('is audited as before when it was restored from a backup', async () => {
    await withKeys('restored');
    await logbook('kept', 'backup', join(root, 'backup'));
    await logbook('restored', 'restore', join(root, 'backup'));
    expect(await eventsAt(at('restored'), before.length)).toEqual(before);
  });

  it('is audited as before when it was imported from an export', async () => {
    await withKeys('imported');
    await logbook('kept', 'export', join(root, 'export.ndjson.gz'));
    await logbook('imported', 'import', join(root, 'export.ndjson.gz'), '--unverified', '--with-keys');
    expect(await eventsAt(at('imported'), before.length)).toEqual(before);
  });
});
