import { hostname } from 'node:os';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { accountCalls } from '#test/e2e/messaging/accounts/accounts.js';
import {
  createProject,
  type ErrorLine,
  expectError,
  INSTANT,
  inProject,
  j3,
  type ProjectCalls,
  SERVICE_TOKEN,
  WITH_TOKEN,
} from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { expectRecent } from '#test/e2e/this-suite.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { deployments, embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';
import { base64, texts, trafficOf } from './traffic.js';

const FORBIDDEN: ErrorLine = 'FORBIDDEN: Access to this resource is forbidden';
const UNAUTHORIZED: ErrorLine = 'UNAUTHORIZED: Unauthorized';
const NEVER = '0001-01-01T00:00:00Z';
const j1 = (value: unknown): string => JSON.stringify(value, null, 1);

type Point = Readonly<{ timestamp: string; value: number }>;
type Metric = Readonly<{ metric: string; resource_name: string; timeseries: readonly Point[] }>;
const metricsOf = ({ json }: Answer): readonly Metric[] => (json as { metrics: readonly Metric[] }).metrics;
/** `<metric> <resource> <values>` of each metric. */
const linesOf = (answer: Answer): readonly string[] =>
  metricsOf(answer).map(({ metric, resource_name, timeseries }) => `${metric} ${resource_name} ${timeseries.map(({ value }) => value)}`);

type Traffic = ReturnType<typeof trafficOf>;

/** Of messaging contract 3.9, by metric. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'project.number_of_topics': 'Counter that displays the number of topics belonging to the specific project',
  'project.number_of_subscriptions': 'Counter that displays the number of subscriptions belonging to the specific project',
  'project.user.number_of_topics': 'Counter that displays the number of topics that a user has access to the specific project',
  'project.user.number_of_subscriptions':
    'Counter that displays the number of subscriptions that a user has access to the specific project',
  'project.number_of_daily_messages':
    "A collection of counters that represents the total number of messages published each day to all of the project's topics",
  'topic.number_of_subscriptions': 'Counter that displays the number of subscriptions belonging to a specific topic',
  'topic.number_of_messages': 'Counter that displays the number of messages published to the specific topic',
  'topic.number_of_bytes': 'Counter that displays the total size of data (in bytes) published to the specific topic',
  'topic.number_of_daily_messages':
    'A collection of counters that represents the total number of messages published each day to a specific topic',
  'topic.publishing_rate': 'A rate that displays how many messages were published per second between the last two publish events',
  'subscription.number_of_messages': 'Counter that displays the number of messages consumed from the specific subscription',
  'subscription.number_of_bytes': 'Counter that displays the total size of data (in bytes) consumed from the specific subscription',
  'subscription.consumption_rate': 'A rate that displays how many messages were consumed per second between the last two consume events',
  'ams_node.cpu_usage': 'Percentage value that displays the CPU usage of ams service in the specific node',
  'ams_node.memory_usage': 'Percentage value that displays the Memory usage of ams service in the specific node',
};

/** The other columns of messaging contract 3.9. */
const columnsOf = (metric: string) => {
  const metric_type = metric.startsWith('ams_node.') ? 'percentage' : metric.endsWith('_rate') ? 'rate' : 'counter';
  const value_type = metric_type === 'counter' ? 'int64' : 'float64';
  return { metric_type, value_type, resource_type: metric.slice(0, metric.lastIndexOf('.')) };
};

/** The answer has these metrics in this order and layout; of points, the times may be anything that they can be. */
const expectMetrics = (
  answer: Answer,
  expected: readonly (readonly [metric: string, resource: string, ...values: readonly number[]])[],
): void => {
  const given = metricsOf(answer);
  const metrics = expected.map(([metric, resource_name, ...values], index) => {
    const timeseries = values.map((value, point) => ({ timestamp: given[index]?.timeseries[point]?.timestamp, value }));
    return { metric, ...columnsOf(metric), resource_name, timeseries, description: DESCRIPTIONS[metric] };
  });
  expect([answer.status, answer.text]).toEqual([200, j3({ metrics })]);
  for (const { metric, timeseries } of given)
    for (const { timestamp } of timeseries) expect(timestamp).toMatch(metric.includes('daily') ? /^\d{4}-\d\d-\d\d$/ : INSTANT);
};

describe.each(deployments)('metrics on %s', (_name, open) => {
  const scene = serving(open, WITH_TOKEN);

  it('count what is there, what was published and what was consumed', async () => {
    const p = await createProject(scene, 'p');
    const traffic = trafficOf(() => p);
    expectMetrics(await p.get(':metrics'), [
      ['project.number_of_topics', 'p', 0],
      ['project.number_of_subscriptions', 'p', 0],
      ['project.number_of_daily_messages', 'p'],
    ]);
    await traffic.prepare('t');
    await p.subscription('other', 't');
    await p.member('ada', 'publisher');
    await p.member('bob', 'consumer');
    await p.post('/topics/t:modifyAcl', { authorized_users: ['ada'] });
    await p.post('/subscriptions/t:modifyAcl', { authorized_users: ['ada', 'bob'] });
    await traffic.publish('t', texts('a', 'bc', 'def'));
    await traffic.pull('t', { maxMessages: '2' });
    await traffic.pull('t', { maxMessages: '1' });

    expect(linesOf(await p.get(':metrics'))).toEqual([
      'project.number_of_topics p 1',
      'project.number_of_subscriptions p 2',
      'project.user.number_of_topics p.ada 1',
      'project.user.number_of_subscriptions p.ada 1',
      'project.user.number_of_subscriptions p.bob 1',
      'project.number_of_daily_messages p 3',
    ]);
    expectMetrics(await p.get('/topics/t:metrics'), [
      ['topic.number_of_subscriptions', 't', 2],
      ['topic.number_of_messages', 't', 3],
      ['topic.number_of_bytes', 't', 12],
      ['topic.number_of_daily_messages', 't', 3],
      ['topic.publishing_rate', 't', 3],
    ]);
    expect(linesOf(await p.get('/subscriptions/t:metrics')).slice(0, 2)).toEqual([
      'subscription.number_of_messages t 3',
      'subscription.number_of_bytes t 12',
    ]);
    const [project] = ((await accountCalls(scene).get('/metrics/va_metrics')).json as { projects_metrics: { projects: unknown[] } })
      .projects_metrics.projects;
    expect(project).toMatchObject({ project: 'p', message_count: 3, topics_count: 1, subscriptions_count: 2, users_count: 2 });
  });
});

describe('Metrics', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  const traffic = trafficOf(() => p);
  const root = () => accountCalls(scene);

  beforeAll(async () => {
    p = await createProject(scene, 'p');
  });

  it('of a project show all members with topics, then all with subscriptions, in the order of the contract', async () => {
    const q = await createProject(scene, 'q');
    for (const name of ['a', 'b']) await q.topic(name);
    await q.subscription('s', 'a');
    for (const name of ['one', 'two', 'none', 'gone']) await q.member(name, 'publisher', 'consumer');
    await q.post('/topics/a:modifyAcl', { authorized_users: ['one', 'two', 'gone'] });
    await q.post('/topics/b:modifyAcl', { authorized_users: ['one'] });
    await q.post('/subscriptions/s:modifyAcl', { authorized_users: ['two', 'gone'] });
    await q.post('/members/gone:remove');
    const answer = await q.get(':metrics');
    const users = ['one', 'two'].toSorted((a, b) => answer.text.indexOf(`q.${a}`) - answer.text.indexOf(`q.${b}`));
    expectMetrics(answer, [
      ['project.number_of_topics', 'q', 2],
      ['project.number_of_subscriptions', 'q', 1],
      ...users.map((name) => ['project.user.number_of_topics', `q.${name}`, name === 'one' ? 2 : 1] as const),
      ['project.user.number_of_subscriptions', 'q.two', 1],
      ['project.number_of_daily_messages', 'q'],
    ]);
    await q.delete('/topics/a');
    expect(linesOf(await q.get(':metrics'))).toEqual([
      'project.number_of_topics q 1',
      'project.number_of_subscriptions q 1',
      'project.user.number_of_topics q.one 1',
      'project.user.number_of_subscriptions q.two 1',
      'project.number_of_daily_messages q ',
    ]);
  });

  it('of a topic show rates between publish calls, and days that outlive the topic', async () => {
    await p.topic('r');
    const rate = async () => metricsOf(await p.get('/topics/r:metrics')).at(-1)?.timeseries;
    /** Messages, bytes, and messages of all days: the day may end between two calls. */
    const counts = async () =>
      metricsOf(await p.get('/topics/r:metrics'))
        .slice(1, 4)
        .map(({ metric, timeseries }) => `${metric} ${timeseries.reduce((sum, { value }) => sum + value, 0)}`);
    expect(await rate()).toEqual([{ timestamp: NEVER, value: 0 }]);
    expectMetrics(await p.get('/topics/r:metrics'), [
      ['topic.number_of_subscriptions', 'r', 0],
      ['topic.number_of_messages', 'r', 0],
      ['topic.number_of_bytes', 'r', 0],
      ['topic.number_of_daily_messages', 'r'],
      ['topic.publishing_rate', 'r', 0],
    ]);
    await traffic.publish('r', [{ data: base64('xyz'), attributes: { not: 'counted' } }, { attributes: { a: 'b' } }]);
    const [first] = (await rate()) ?? [];
    expect(first).toEqual({ timestamp: expect.stringMatching(INSTANT), value: 2 });
    expectRecent(first?.timestamp);
    await traffic.publish('r', texts('a'));
    expect((await rate())?.[0]?.value).toBeGreaterThan(0);
    expect(await counts()).toEqual(['topic.number_of_messages 3', 'topic.number_of_bytes 8', 'topic.number_of_daily_messages 3']);

    await p.delete('/topics/r');
    await p.topic('r');
    await traffic.publish('r', texts('b'));
    expect(await counts()).toEqual(['topic.number_of_messages 1', 'topic.number_of_bytes 4', 'topic.number_of_daily_messages 4']);
    expect(metricsOf(await p.get('/topics/r:metrics'))[3]?.timeseries[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it('of a subscription count redeliveries, and a pull that delivers nothing sets the rate to 0', async () => {
    await traffic.prepare('s');
    const rate = async () => metricsOf(await p.get('/subscriptions/s:metrics')).at(-1)?.timeseries[0];
    expectMetrics(await p.get('/subscriptions/s:metrics'), [
      ['subscription.number_of_messages', 's', 0],
      ['subscription.number_of_bytes', 's', 0],
      ['subscription.consumption_rate', 's', 0],
    ]);
    expect(await rate()).toEqual({ timestamp: NEVER, value: 0 });
    await traffic.publish('s', texts('a', 'bcdef'));
    await traffic.pull('s');
    expect(await rate()).toEqual({ timestamp: expect.stringMatching(INSTANT), value: 2 });
    await traffic.pull('s');
    expect(linesOf(await p.get('/subscriptions/s:metrics')).slice(0, 2)).toEqual([
      'subscription.number_of_messages s 4',
      'subscription.number_of_bytes s 24',
    ]);
    expect((await rate())?.value).toBeGreaterThan(0);
    await traffic.acknowledge('s', 1);
    await traffic.pull('s');
    expect(linesOf(await p.get('/subscriptions/s:metrics'))).toEqual([
      'subscription.number_of_messages s 4',
      'subscription.number_of_bytes s 24',
      'subscription.consumption_rate s 0',
    ]);
  });

  it.each<[string, string, ErrorLine]>([
    ['topics', 'publisher', "NOT_FOUND: Topic doesn't exist"],
    ['subscriptions', 'consumer', "NOT_FOUND: Subscription doesn't exist"],
  ])('of %s: the ACL comes before existence for a %s, but not for administrators', async (resources, role, missing) => {
    await traffic.prepare(`acl-${role}`);
    const key = await p.member(`acl-${role}`, role);
    const both = await p.member(`acl-${role}-admin`, role, 'project_admin');
    const get = (by: string, name: string) => inProject(scene, 'p', by).get(`/${resources}/${name}:metrics`);
    for (const by of [SERVICE_TOKEN, both]) {
      expectError(await get(by, 'none'), missing);
      expect((await get(by, `acl-${role}`)).status).toBe(200);
    }
    expectError(await get(key, 'none'), FORBIDDEN);
    expectError(await get(key, `acl-${role}`), FORBIDDEN);
    await p.post(`/${resources}/acl-${role}:modifyAcl`, { authorized_users: [`acl-${role}`] });
    expect((await get(key, `acl-${role}`)).status).toBe(200);
  });

  it('are not found for what does not exist, and refused for an invalid name', async () => {
    expectError(await inProject(scene, 'none').get(':metrics'), "NOT_FOUND: project doesn't exist");
    expectError(await inProject(scene, 'a.b').get(':metrics'), 'INVALID_ARGUMENT: Invalid project name');
    expectError(await p.get('/topics/a.b:metrics'), 'INVALID_ARGUMENT: Invalid topic name');
    expectError(await p.get('/subscriptions/a.b:metrics'), 'INVALID_ARGUMENT: Invalid subscription name');
  });

  it('of the node are one pair, in percent', async () => {
    const answer = await root().get('/metrics');
    const [cpu, memory] = metricsOf(answer).map(({ timeseries }) => timeseries[0]?.value ?? -1);
    expectMetrics(answer, [
      ['ams_node.cpu_usage', hostname(), cpu ?? -1],
      ['ams_node.memory_usage', hostname(), memory ?? -1],
    ]);
    expect(cpu).toBeGreaterThanOrEqual(0);
    expect(memory).toBeGreaterThan(0);
    expect(memory).toBeLessThan(100);
    expect(metricsOf(await root().get('/metrics'))).toHaveLength(2);
  });
});

describe('Reports on use', () => {
  const scene = serving(embedded, WITH_TOKEN);
  const root = () => accountCalls(scene);
  let ada: string;
  /** Of all messages. */
  let published: string;
  /** So many days after that. */
  const day = (later: number): string => new Date(Date.parse(published) + later * 86_400_000).toISOString().slice(0, 10);

  /** The members of a project's report that are 0 or empty when there is nothing. */
  const report = (
    projects: readonly (readonly [name: string, messages: number, average: number, topics: number, subscriptions: number, users: number])[],
  ) => {
    const sum = (column: 1 | 2 | 3 | 4 | 5) => projects.reduce((total, project) => total + project[column], 0);
    return {
      projects_metrics: {
        projects: projects.map(([project, message_count, average_daily_messages, topics_count, subscriptions_count, users_count]) => ({
          project,
          message_count,
          average_daily_messages,
          topics_count,
          subscriptions_count,
          users_count,
        })),
        total_message_count: sum(1),
        average_daily_messages: Math.round(sum(2) * 100) / 100,
      },
      total_users_count: sum(5),
      total_topics_count: sum(3),
      total_subscriptions_count: sum(4),
    };
  };
  const expectReport = (answer: Answer, ...projects: Parameters<typeof report>[0]) =>
    expect([answer.status, answer.text]).toEqual([200, j1(report(projects))]);
  const usage = (query = '') => root().get(`/metrics/va_metrics${query}`);

  beforeAll(async () => {
    for (const name of ['first', 'second', 'silent']) {
      const project = await createProject(scene, name);
      await trafficOf(() => project).prepare('t');
      await project.topic('u');
      const token = await project.member(`ada-${name}`, 'project_admin');
      if (name === 'first') ada = token;
    }
    await root().put('/users/ada-first', {
      projects: [
        { project: 'first', roles: ['project_admin'] },
        { project: 'second', roles: ['publisher'] },
        { project: 'silent', roles: ['project_admin'] },
      ],
    });
    const [first, second] = ['first', 'second'].map((name) => trafficOf(() => inProject(scene, name))) as [Traffic, Traffic];
    await Promise.all([first.publish('t', texts(...'abcdefg')), second.publish('t', texts(...'abc'))]);
    const [newest] = await second.pull('t', { maxMessages: '1' });
    published = newest?.message.publishTime.slice(0, 10) ?? '';
  });

  it('cover every project with messages in the window, which is everything by default', () =>
    onOneDay(async (today) => {
      const days = Math.round(Date.parse(today) / 86_400_000) + 1;
      const average = (count: number) => Math.ceil((count * 100) / days) / 100;
      expectReport(await usage(), ['first', 7, average(7), 2, 1, 1], ['second', 3, average(3), 2, 1, 2]);
      expectReport(await usage('?start_date=&end_date=&projects='), ['first', 7, average(7), 2, 1, 1], ['second', 3, average(3), 2, 1, 2]);
      expect((await usage('?projects=second')).text).toBe((await usage(`?projects=second&start_date=1970-01-01&end_date=${today}`)).text);
    }));

  it.each([
    [0, 0, 7, 3],
    [-1, 0, 3.5, 1.5],
    [-2, 0, 2.34, 1],
    [-6, 1, 0.88, 0.38],
  ])('include the first and the last day: from %d to %d', async (from, to, first, second) =>
    expectReport(await usage(`?start_date=${day(from)}&end_date=${day(to)}`), ['first', 7, first, 2, 1, 1], ['second', 3, second, 2, 1, 2]),
  );

  it('are empty without messages in the window', async () => {
    expectReport(await usage(`?end_date=${day(-1)}`));
    expectReport(await usage(`?start_date=${day(1)}&end_date=${day(1)}`));
    expectReport(await usage(`?start_date=${published}&projects=silent`));
  });

  it('cover the projects that are named, each of them once', async () =>
    expectReport(await usage(`?start_date=${published}&end_date=${published}&projects=second,silent,second`), ['second', 3, 3, 2, 1, 2]));

  it.each<[string, ErrorLine]>([
    ['?start_date=2024-02-30', 'INVALID_ARGUMENT: Start date is not in valid format'],
    ['?start_date=20240201&end_date=x', 'INVALID_ARGUMENT: Start date is not in valid format'],
    ['?end_date=2024-2-1', 'INVALID_ARGUMENT: End date is not in valid format'],
    ['?end_date=2024-02-01T00:00:00Z', 'INVALID_ARGUMENT: End date is not in valid format'],
    ['?start_date=2024-02-02&end_date=2024-02-01', 'INVALID_ARGUMENT: Start date cannot be after the end date'],
    ['?start_date=9999-01-01', 'INVALID_ARGUMENT: Start date cannot be after the end date'],
  ])('refuse the window %s', async (query, line) => {
    expectError(await usage(`${query}&projects=none`), line);
    expectError(await accountCalls(scene, ada).get(`/users/usageReport${query}`), line);
  });

  it('are refused for a project that does not exist', async () =>
    expectError(await usage('?projects=first,none,nobody'), "NOT_FOUND: Project none doesn't exist"));

  it('of a user cover the projects it administers, and the node', async () => {
    const own = (query = '', key = ada) => accountCalls(scene, key).get(`/users/usageReport${query}`);
    const answer = await own(`?start_date=${published}&end_date=${published}`);
    const { operational_metrics } = answer.json as { operational_metrics: { metrics: readonly Metric[] } };
    const expected = { va_metrics: report([['first', 7, 7, 2, 1, 1]]), operational_metrics };
    expect([answer.status, answer.text]).toEqual([200, j3(expected)]);
    expect(operational_metrics.metrics.map(({ metric }) => metric)).toEqual(['ams_node.cpu_usage', 'ams_node.memory_usage']);
    const filtered = await own(`?start_date=${published}&end_date=${published}&projects=second,none,first`);
    expect(filtered.json).toMatchObject({ va_metrics: report([['first', 7, 7, 2, 1, 1]]) });
    expect((await own('?projects=silent')).json).toMatchObject({ va_metrics: report([]), operational_metrics: { metrics: [{}, {}] } });
    for (const query of ['?projects=second', '?projects=none'])
      expect((await own(query)).text).toBe(j3({ va_metrics: report([]), operational_metrics: { metrics: [] } }));
    for (const key of ['', 'unknown', SERVICE_TOKEN]) expectError(await own('', key), UNAUTHORIZED);
    expectError(await own('?start_date=x', 'unknown'), UNAUTHORIZED);
  });
});
