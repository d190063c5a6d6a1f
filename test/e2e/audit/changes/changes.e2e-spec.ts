import { describe, expect, it } from '@jest/globals';
import { createProject, SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, deployments, OPERATOR } from '#test/support/deployments.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { registerTenant } from '#test/support/status-client.js';

type Item = Readonly<{
  key: string;
  index: number;
  position: string;
  time: string;
  sentence: string;
  count: number;
  changed: boolean;
  record: object | null;
}>;
type Page = Readonly<{ items: readonly Item[]; next: string | null; newer: string }>;
type Snapshot = Readonly<{ date: string }> | null;
type Difference = Readonly<{ against: string | null; dated: boolean; before: Snapshot; after: Snapshot }>;

/** Figures of folded sentences, which stand once a minute, newest first. A minute may end while they are made. */
const foldedIn = (items: readonly Item[], sentence: RegExp): readonly number[] => {
  const folded = items.filter((item) => sentence.test(item.sentence));
  expect(new Set(folded.map(({ time }) => time.slice(0, 16))).size).toBe(folded.length);
  return folded.map((item) => Number(sentence.exec(item.sentence)?.[1]));
};
const sumOf = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0);

describe.each(deployments)('changes on %s', (_, open) => {
  const scene = serving(open, {
    LOGBOOK_HISTORY: 'on',
    LOGBOOK_ROLES: 'api,projector,push,history',
    LOGBOOK_MESSAGING_SERVICE_TOKEN: SERVICE_TOKEN,
  });
  const get = async <T>(path: string, key = OPERATOR, headers = {}): Promise<T> => {
    const { status, json, text } = await scene.root.get(`/audit/changes${path}`, { key, headers });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return json as T;
  };
  const page = (query: string, key?: string, headers?: object) => get<Page>(query, key, headers);
  const sentences = async (query: string, key?: string) => (await page(query, key)).items.map(({ sentence }) => sentence);
  const statusOf = async (path: string, key = OPERATOR, headers = {}) =>
    (await scene.root.get(`/audit/changes${path}`, { key, headers })).status;

  it('name who changed which record where; operators see no names of people', async () => {
    await registerTenant(scene.status, ADMIN, 'alpine', ['admin']);
    const key = 'alpine-admin';
    const made = await scene.status.post('/weights?date=2026-01-15', { key, body: weights('cores') });
    const { id } = (made.json as { data: { id: string } }).data;
    await scene.status.put(`/weights/${id}?date=2026-03-01`, { key, body: weights('cores') });
    await scene.status.put(`/weights/${id}?date=2026-03-01`, { key, body: weights('discs') });
    await scene.status.delete(`/weights/${id}`, { key });
    const changes = ['deleted the weights discs', 'changed the weights discs', 'changed the weights cores', 'created the weights cores'];
    const made2 = ['LOGBOOK_STATUS_ADMIN_KEY created the user admin in alpine', 'LOGBOOK_STATUS_ADMIN_KEY created the tenant alpine'];
    expect(await sentences('?service=status')).toEqual([...changes.map((change) => `admin ${change} in alpine`), ...made2]);
    const operator = (await issueKey(scene.root, 'ops', 'operator')).key;
    expect(await sentences('?service=status', operator)).toEqual([
      ...changes.map((change) => `a user of alpine ${change} in alpine`),
      'LOGBOOK_STATUS_ADMIN_KEY created the user [personal] in alpine',
      made2[1],
    ]);
    expect(await sentences('?kind=weights&text=DELETED')).toEqual(['admin deleted the weights discs in alpine']);
    expect(await sentences('?actor=ada&kind=tenant')).toEqual([]);
    expect(await sentences('?actor=status_admin&kind=tenant')).toEqual([made2[1]]);
    const { items } = await page('?kind=weights');
    const differences = await Promise.all(items.map(({ index }) => get<Difference>(`/${index}/difference`)));
    expect(differences.map(({ against, before, after }) => [against, before?.date ?? null, after?.date ?? null])).toEqual([
      ['2026-03-01', '2026-03-01', null],
      ['2026-03-01', '2026-03-01', '2026-03-01'],
      ['2026-01-15', '2026-01-15', '2026-03-01'],
      [null, null, '2026-01-15'],
    ]);
    const then = items[2]?.position;
    const asOf = { 'logbook-as-of': `${then}` };
    expect((await page('?kind=weights', OPERATOR, asOf)).items.map(({ sentence }) => sentence)).toEqual([
      'admin changed the weights cores in alpine',
      'admin created the weights cores in alpine',
    ]);
    for (const query of ['', '?kind=none']) expect(await statusOf(query, operator, asOf)).toBe(403);
    const point = { service: 'web', hostname: 'h1', metric: 'http', status: 'OK', timestamp: '2026-03-01T10:00:00Z' };
    for (const hostname of ['h1', 'h2']) {
      const sent = await scene.status.post('/metric_data', { key, body: [point, { ...point, hostname }] });
      expect(sent.status).toBe(201);
    }
    const { items: all } = await page('?service=status');
    expect(sumOf(foldedIn(all, /^admin sent (\d+) metric results to the tenant alpine$/))).toBe(4);
  });

  it('of lists of a day differ from the list of the day that they replace, else from the one before it by date', async () => {
    const key = 'alpine-admin';
    const downtime = { hostname: 'h1', service: 'web', start_time: '2026-11-02T10:00:00Z', end_time: '2026-11-03T10:00:00Z' };
    const endpoint = { group: 'SITE-A', type: 'SITES', service: 'web', hostname: 'h1' };
    const send = async (path: string, body: object) => expect((await scene.status.post(path, { key, body })).status).toBe(201);
    for (const day of ['2026-11-02', '2026-11-03']) {
      await send(`/downtimes?date=${day}`, { endpoints: [downtime] });
      await send(`/topology/endpoints?date=${day}`, [endpoint]);
    }
    await send('/topology/endpoints?date=2026-11-03&force=true', [{ ...endpoint, hostname: 'h2' }]);
    const against = async (kind: string) => {
      const { items } = await page(`?kind=${kind}`);
      const found = await Promise.all(
        items.map(({ index }) => get<Readonly<{ against: string | null; before: object | null }>>(`/${index}/difference`)),
      );
      return found.map((one) => [one.against, one.before === null]);
    };
    const [none, earlier] = [
      [null, true],
      ['2026-11-02', false],
    ];
    expect(await against('downtimes')).toEqual([earlier, none]);
    expect(await against('topology_endpoints')).toEqual([['2026-11-03', false], earlier, none]);
  });

  it('are printed by the command line', async () => {
    const served = { LOGBOOK_URL: scene.server.url, LOGBOOK_OPS_KEY: OPERATOR };
    const shown = await runLogbook(['changes', '--kind', 'weights', '--limit', '1'], served);
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/^time +sentence +index\n2\S+Z +admin deleted the weights discs in alpine +\d+\n$/),
    ]);
    expect(shown.stderr).toMatch(/there are more: --after \d+\n/);
    const json = await runLogbook(['changes', '--kind', 'weights', '--json'], served);
    expect((JSON.parse(json.stdout) as Page).items).toEqual((await page('?kind=weights')).items);
    const then = await runLogbook(['changes', '--kind', 'weights', '--as-of', '1', '--json'], served);
    expect((JSON.parse(then.stdout) as Page).items).toEqual([]);
    expect((await runLogbook(['changes', '--kind', 'none'], served)).code).toBe(2);
  });

  it('fold what changes no record, page by page, and go on from the newest minute', async () => {
    const project = await createProject(scene, 'monitoring');
    await project.topic('metrics');
    await project.subscription('workers', 'metrics');
    for (let at = 0; at < 5; at++) await project.post('/topics/metrics:publish', { messages: [{ data: 'aGk=' }, { data: 'aGk=' }] });
    const { items, newer } = await page('?service=messaging');
    const published = /published (\d+) messages? to the topic metrics in monitoring$/;
    const figures = foldedIn(items, published);
    expect(sumOf(figures)).toBe(10);
    const others = items.slice(figures.length);
    expect(others.map(({ sentence }) => sentence.replace(/^\S+ /, ''))).toEqual([
      'created the subscription workers in monitoring',
      'created the topic metrics in monitoring',
      'created the project monitoring',
    ]);
    expect(items.map(({ changed }) => changed)).toEqual([...figures.map(() => false), true, true, true]);
    const paged: Item[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const one: Page = await page(`?service=messaging&limit=1${after && `&after=${after}`}`);
      paged.push(...one.items);
      after = one.next;
    }
    expect(paged).toEqual(items);
    await project.post('/topics/metrics:publish', { messages: [{ data: 'aGk=' }] });
    const newest = foldedIn((await page(`?service=messaging&since=${newer}`)).items, published);
    expect([1, (figures[0] ?? 0) + 1]).toContain(newest[0]);
    expect(await statusOf(`/${items[0]?.index}/difference`)).toBe(404);
  });

  it('have reads where they are asked for; names of people are recorded once', async () => {
    const reads = (await sentences('?reads=true')).filter((sentence) => / read /.test(sentence));
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.filter((sentence) => sentence.includes('read personal data'))).toHaveLength(1);
    expect((await sentences('?limit=200')).filter((sentence) => / read /.test(sentence))).toEqual([]);
    expect(await statusOf('?kind=none')).toBe(400);
    expect(await statusOf('?verb=read')).toBe(400);
    expect(await statusOf('?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z')).toBe(400);
    expect(await statusOf('', 'nobody')).toBe(401);
  });
});
