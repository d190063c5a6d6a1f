import { beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTING_LIMITS, limitText } from '#domain/accounting/limits.js';
import { filter, query } from '#test/e2e/accounting/search/searches.js';
import { deployments } from '#test/support/deployments.js';
import { neighbourOf } from '#test/support/neighbours/event-loop-probe.js';
import type { Answer } from '#test/support/status-client.js';
import { PUBLIC_URL, records } from './records.js';
import { accountingServing, expectMessage, pageIn } from './serving.js';

type Json = Readonly<Record<string, unknown>>;
type Tree = Readonly<{ id: string; providers: readonly Readonly<{ id: string; installations: readonly Json[] }>[] }>;

const KIB = 1024;
const TOO_LARGE = 'The request body is too large.';

describe.each(deployments)('limits of the accounting service on %s', (_name, open) => {
  const scene = accountingServing(open, { LOGBOOK_PUBLIC_URL: PUBLIC_URL });
  const make = records(() => scene.admin);

  describe('of bodies', () => {
    it('are 64 KiB for records and 16 KiB for metrics', async () => {
      const long = { name: 'n', padding: 'x'.repeat(64 * KIB) };
      for (const [method, path] of [
        ['POST', '/providers'],
        ['PATCH', '/providers/nosuch'],
        ['POST', '/installations'],
        ['POST', '/metric-definitions'],
        ['POST', '/admin/projects'],
        ['POST', '/admin/entitlements'],
        ['PUT', '/admin/settings/ENTITLEMENTS_MANAGEMENT'],
      ] as const)
        expectMessage(await scene.admin.call(method, path, { body: long }), 413, TOO_LARGE);
      const metric = { user_id: 'x'.repeat(16 * KIB) };
      expectMessage(await scene.admin.post('/installations/nosuch/metrics', metric), 413, TOO_LARGE);
      expectMessage(await scene.admin.patch('/installations/nosuch/metrics/nosuch', metric), 413, TOO_LARGE);
    });

    it('let records of 60 KiB in', async () => {
      const logo = 'x'.repeat(60 * KIB);
      const id = await make.provider(undefined, { logo });
      expect((await scene.admin.get(`/providers/${id}`)).json).toMatchObject({ logo });
    });
  });

  describe('of records', () => {
    it('hold for what several calls add up to, and nothing of a refused call is stored', async () => {
      const long = 'x'.repeat(40 * KIB);
      const id = await make.provider(undefined, { logo: long });
      expectMessage(await scene.admin.patch(`/providers/${id}`, { website: long }), 409, limitText('recordSize'));
      expect((await scene.admin.get(`/providers/${id}`)).json).toMatchObject({ logo: long, website: null });
    });

    it('hold for all installations of a project together', async () => {
      const { project, provider } = await make.pair();
      const infrastructure = 'x'.repeat(60 * KIB);
      const most = Math.floor(ACCOUNTING_LIMITS.installationsSize.value / (60 * KIB));
      const create = (index: number) =>
        scene.admin.post('/installations', { project, organisation: provider, infrastructure, installation: `i${index}` });
      const answers: Answer[] = [];
      for (
        let first = 0;
        first < most + 2;
        first += 20 // a caller has room for so many bodies at a time
      )
        answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, index) => create(first + index)))));
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.length).toBeGreaterThanOrEqual(2);
      for (const answer of refused) expectMessage(answer, 409, limitText('installationsSize'));
      const tree = (await scene.admin.get(`/projects/${project}`)).json as Tree;
      expect(tree.providers.map(({ installations }) => installations.length)).toEqual([answers.length - refused.length]);
    });
  });
});

describe.each(deployments)('long answers of the accounting service on %s', (_name, open) => {
  const scene = accountingServing(open, { LOGBOOK_PUBLIC_URL: PUBLIC_URL });
  const make = records(() => scene.admin);
  const infrastructure = 'x'.repeat(50 * KIB);
  const counts = { first: 40, second: 3, third: 30 } as const;
  const PROVIDERS = Object.keys(counts) as (keyof typeof counts)[];
  let project = '';
  let made: Readonly<Record<string, readonly Json[]>> = {};
  const RANGE = 'start=2024-01-01&end=2024-02-01';

  beforeAll(async () => {
    project = await make.project();
    const definition = await make.definition();
    const all: Record<string, readonly Json[]> = {};
    for (const provider of PROVIDERS) {
      await make.provider(provider);
      await make.associate(project, provider);
      const own: Json[] = [];
      for (let index = 0; index < counts[provider]; index++) own.push(await make.installation(project, provider, { infrastructure }));
      await make.metric(own[0]?.id, definition.metric_definition_id);
      all[provider] = own;
    }
    made = all;
  });

  const idsOf = (tree: Tree) => tree.providers.map(({ id, installations }) => [id, installations.map((one) => one.id)]);
  const expectedIds = () => PROVIDERS.map((provider) => [provider, made[provider]?.map(({ id }) => id)]);

  it('of one project have all providers and installations in their order', async () => {
    const answer = await scene.admin.get(`/projects/${project}`);
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(idsOf(answer.json as Tree)).toEqual(expectedIds());
  });

  it('of pages have all elements, and say how many there are', async () => {
    const small = await make.project();
    for (const path of ['/admin/projects', '/projects', '/clients/me']) {
      const { content, ...page } = pageIn(await scene.admin.get(`${path}?size=50`));
      expect([page.size_of_page, page.total_elements]).toEqual([content.length, content.length]);
      expect(idsOf(content.find(({ id }) => id === project) as Tree)).toEqual(expectedIds());
      expect(content.find(({ id }) => id === small)).toMatchObject({ providers: [] });
    }
    const all = pageIn(await scene.admin.get('/providers/all?size=50')).content as Tree['providers'];
    expect(all.map(({ id, installations }) => [id, installations.map((one) => one.id)])).toEqual(expectedIds());
  });

  it('of reports are the same as JSON and as CSV', async () => {
    const report = (await scene.admin.get(`/projects/${project}/report?${RANGE}`)).json as Readonly<{
      aggregated_metrics: readonly Json[];
      data: readonly Readonly<{ provider_id: string; aggregated_metrics: readonly Json[]; data: readonly Json[] }>[];
    }>;
    expect(report.aggregated_metrics).toMatchObject([{ total_value: 3 }]);
    expect(report.data.map(({ provider_id, data }) => [provider_id, data.map((one) => one.installation_id)])).toEqual(expectedIds());
    expect(report.data.map(({ aggregated_metrics }) => aggregated_metrics.map((one) => one.total_value))).toEqual([[1], [1], [1]]);
    const csv = await scene.admin.get(`/projects/${project}/report?${RANGE}`, { accept: 'text/csv' });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(4);
  });

  it('of searches have all that was found', async () => {
    const answer = await scene.admin.post('/installations/search?size=100', query('project', project));
    const { content } = pageIn(answer);
    expect(content.map(({ installation_id }) => installation_id)).toEqual(expectedIds().flatMap(([, ids]) => ids));
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
  });
});

describe.each(deployments)('a search of 100,000 queries over long records on %s', (_name, open) => {
  const scene = accountingServing(open, { LOGBOOK_PUBLIC_URL: PUBLIC_URL });
  const make = records(() => scene.admin);

  it('is answered, and others are served meanwhile', async () => {
    for (let index = 0; index < 20; index++) await make.definition({ metric_description: 'x'.repeat(60 * KIB) });
    const project = await make.project();
    const body = filter('OR', ...Array.from({ length: 100_000 }, (_, index) => query('metric_description', `none ${index}`)));
    const searching = scene.admin.post('/metric-definitions/search', body);
    const waited = await neighbourOf(scene.root, searching, () => scene.admin.get(`/projects/${project}`));
    expect(pageIn(await searching).total_elements).toBe(0);
    expect(waited.answers).toBeGreaterThan(3);
  });
});
