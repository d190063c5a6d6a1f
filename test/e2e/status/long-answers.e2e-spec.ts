import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { at, DAY, given, newReport, point } from '#test/e2e/status/metric-data/metric-points.js';
import { endpoint, group } from '#test/e2e/status/topology/topology-items.js';
import { deployments } from '#test/support/deployments.js';
import { turnsDuring } from '#test/support/neighbours/event-loop-probe.js';
import { type Answer, recordsOf } from '#test/support/status-client.js';
import { listOf, pretty } from './contract.js';
import { agreeWith, newTenant } from './extended-contract.js';

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

describe.each(deployments)('long answers of the status service on %s', (_name, open) => {
  const scene = serving(open);
  const isWhole = (answer: Answer, body: unknown): void => {
    expect(answer.status).toBe(200);
    expect(answer.text.length).toBeGreaterThan(2 * 1024 * 1024);
    expect(answer.text === pretty(body)).toBe(true);
  };

  it('are whole lists, record by record as each is by itself', async () => {
    const tenant = await newTenant(scene.status);
    const description = 'é<'.repeat(20_000);
    for (let index = 0; index < 30; index++) await tenant.post('/reports', { info: { name: `report ${index}`, description } });
    const reports = await tenant.get('/reports');
    const one = recordsOf(reports).map(async ({ id }) => recordsOf(await tenant.get(`/reports/${id}`))[0]);
    isWhole(reports, listOf(...((await Promise.all(one)) as object[])));
    for (let index = 0; index < 4; index++)
      await tenant.post('/weights', {
        name: `weights ${index % 3}-${index}`,
        groups: times(15_000, (value) => ({ name: `${value}`, value })),
      });
    const weights = await tenant.get('/weights');
    isWhole(weights, listOf(...recordsOf(weights)));
    expect(
      recordsOf(weights)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['weights 0-0', 'weights 0-3', 'weights 1-1', 'weights 2-2']);
    expect(recordsOf(await tenant.get('/weights?name=weights%201-1'))).toHaveLength(1);
  });

  it('of a report are in the order of its groups, whatever the order of the endpoints', async () => {
    const tenant = await newTenant(scene.status);
    const items = times(12_000, (index) => endpoint(`host-${index}`, { group: `SITE-${index % 7}`, tags: { text: 'x'.repeat(300) } }));
    await tenant.post('/topology/endpoints?date=2024-01-01', items);
    const order = [3, 1, 5, 3];
    await tenant.post(
      '/topology/groups?date=2024-01-01',
      order.map((site) => group(`SITE-${site}`)),
    );
    await newReport(tenant, 'ordered');
    await tenant.put(`/reports/${recordsOf(await tenant.get('/reports'))[0]?.id}`, {
      info: { name: 'ordered' },
      topology_schema: { group: { type: 'PROJECT', group: { type: 'SITES' } } },
    });
    const shown = (of: typeof items) => of.map((item) => ({ date: '2024-01-01', ...item }));
    const expected = order.flatMap((site) => shown(items.filter(({ group: name }) => name === `SITE-${site}`)));
    isWhole(await tenant.get('/topology/endpoints/by_report/ordered?date=2024-01-02'), listOf(...expected));
    const reader = await newTenant(scene.status);
    await agreeWith(tenant, reader);
    await reader.put('/feeds/data', { tenants: [tenant.name, tenant.name] });
    await reader.post('/topology/endpoints?date=2024-01-01', [endpoint('own')]);
    const own = { date: '2024-01-01', ...endpoint('own'), tags: null };
    const combined = await reader.get('/topology/endpoints?mode=combined&date=2024-01-01&hostname=~none');
    const inOrder = times(7, (site) => items.filter(({ group: name }) => name === `SITE-${site}`)).flat();
    isWhole(combined, listOf(own, ...shown(inOrder).map((item) => ({ ...item, tenant: tenant.name }))));
  });

  it('leave neighbours their turns while long lists are filtered', async () => {
    const tenant = await newTenant(scene.status);
    const stored = await tenant.post('/topology/endpoints', `[${'{},'.repeat(99_999)}{}]`);
    expect([stored.status, stored.text]).toEqual([201, expect.stringContaining('100000 endpoints')]);
    const filters = ['hostname=*', 'group=~a*b*c', 'tags=a:~*b*', 'service=*&type=*&hostname=*'];
    const work = Promise.all(filters.map((filter) => tenant.get(`/topology/endpoints?${filter}`)));
    const answers = await turnsDuring(scene.root, work);
    expect((await work).map(({ status }) => status)).toEqual(times(4, () => 200));
    expect(answers).toBeGreaterThan(filters.length); // as many as between lists that are filtered without a pause
  });

  it('about metrics are in their order, each point once, over all pages', async () => {
    const tenant = await newTenant(scene.status);
    const report = await newReport(tenant, 'long');
    const time = (index: number) => new Date(index * 20_000).toISOString().slice(11, 19);
    const points = times(2_600, (index) =>
      point(report, {
        timestamp: at(time(index)),
        service: index % 3 ? 'CE' : 'A',
        metric: index % 2 ? 'ping' : 'a-b',
        status: index % 5 ? 'OK' : 'CRITICAL',
        message: 'm'.repeat(1_200),
      }),
    );
    await given(tenant, ...points, ...points.slice(0, 50));
    const byTime = (service: string, metric: string) => points.filter((one) => one.service === service && one.metric === metric);
    const detail = ({ timestamp, status, message }: (typeof points)[number]) => ({
      Timestamp: timestamp,
      Value: status,
      Summary: '',
      Message: message,
    });
    const metrics = [
      ['A', 'a-b'],
      ['A', 'ping'],
      ['CE', 'a-b'],
      ['CE', 'ping'],
    ].map(([service = '', metric = '']) => ({ Name: metric, Service: service, Details: byTime(service, metric).map(detail) }));
    isWhole(await tenant.get(`/metric_result/h1?exec_time=${at('00:00:00')}`), { root: [{ Name: 'h1', Metrics: metrics }] });
    const xml = await tenant.get(`/metric_result/h1?filter=critical&exec_time=${at('00:00:00')}`, { accept: 'application/xml' });
    expect(xml.text.match(/<metric name="[^"]*" service="[^"]*">/g)).toEqual(
      metrics.map(({ Name, Service }) => `<metric name="${Name}" service="${Service}">`),
    );
    expect(xml.text.match(/<status /g)).toHaveLength(520);
    expect(xml.text.match(/<\/metric>/g)).toHaveLength(4);
    const span = `start_time=${at('00:00:00')}&end_time=${at('23:00:00')}`;
    const statuses = await tenant.get(`/status/long/SITES/SITE-A/services/CE/endpoints/h1/metrics?${span}`);
    const {
      groups: [listed],
    } = statuses.json as { groups: { services: { endpoints: { metrics: { name: string; statuses: { timestamp: string }[] }[] }[] }[] }[] };
    const shown = listed?.services[0]?.endpoints[0]?.metrics.map(({ name, statuses }) => [
      name,
      statuses.slice(1).map(({ timestamp }) => timestamp),
    ]);
    const repeated = [...points, ...points.slice(0, 50)];
    const expected = ['a-b', 'ping'].map((metric) => [
      metric,
      repeated
        .filter((one) => one.service === 'CE' && one.metric === metric)
        .map(({ timestamp }) => timestamp)
        .sort(),
    ]);
    expect(shown).toEqual(expected);
    expect(statuses.text).toBe(pretty(statuses.json));
    const latest = await tenant.get(`/latest/long/SITES?limit=-1&date=${at('00:00:00', DAY)}`);
    expect(latest.text.match(/"timestamp"/g)).toHaveLength(2_650);
  });
});
