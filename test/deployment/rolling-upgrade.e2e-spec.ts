import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openRedisReadStore } from '#infra/stores/read-store/redis/redis-read-store.js';
import { weights } from '#test/e2e/status/contract.js';
import { accepted } from '#test/support/accepted.js';
import { World } from '#test/support/as-of/world.js';
import { ADMIN, type Deployment, distributed, OPERATOR, oneMoreNode } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, httpClient, idOf, registerTenant, statusClient } from '#test/support/status-client.js';
import { nextVersion, type Release } from './next-version.js';

/**
 * Root of a built checkout of another release: then the update goes from that one to this. Otherwise from this one to one whose read models have
 * higher versions.
 */
const BEFORE = process.env.LOGBOOK_RELEASE_BEFORE;

const KEY = 'upgraded-admin';
const REPORT = { name: 'Upgraded', day: '2026-01-15' } as const;
const RECORDS = 'status.dated-records';

/** What callers of a balancer see, while nodes come and go behind it. */
class Callers {
  /** Names of records by id, as they were acknowledged. */
  readonly acknowledged = new Map<string, string>();
  /** Acknowledged calls with metric data, by the summary of their points. */
  readonly submitted = new Set<string>();
  readonly failures: string[] = [];
  /** Changes of all services so far. */
  changes = 0;
  private readonly running: Promise<void>[] = [];
  private stopped = false;

  /**
   * @param nodes those that the balancer sends requests to now
   * @param report id of the report that points name
   */
  constructor(
    private readonly nodes: LogbookProcess[],
    private readonly report: string,
  ) {}

  start(count: number): void {
    for (let caller = 0; caller < count; caller++) this.running.push(this.call(caller));
    this.running.push(this.changeAll());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.running);
  }

  /** Resolves when so many more writes were acknowledged. */
  async untilWritten(more: number): Promise<void> {
    const wanted = this.acknowledged.size + more;
    await eventually(async () => ({ written: this.acknowledged.size, failures: this.failures })).until(
      ({ written, failures }) => written >= wanted || failures.length > 0,
    );
  }

  private async call(caller: number): Promise<void> {
    for (let round = 0; !this.stopped; round++) {
      const node = this.nodes[(caller + round) % this.nodes.length] as LogbookProcess;
      const name = `caller ${caller} round ${round}`;
      const written = await this.send(node, name, (status) => status.post('/weights', { key: KEY, body: weights(name) }), 201);
      if (!written) continue;
      this.acknowledged.set(idOf(written), name);
      if (written.headers.get('logbook-read-model') !== 'behind')
        await this.send(node, `${name} read`, (status) => status.get(`/weights/${idOf(written)}`, { key: KEY }), 200);
      await this.submit(node, caller, round);
    }
  }

  /** Points of two hosts, and a read of one of them at the same node. */
  private async submit(node: LogbookProcess, caller: number, round: number): Promise<void> {
    const summary = `points ${caller} ${round}`;
    const timestamp = `${REPORT.day}T${new Date(round * 1_000).toISOString().slice(11, 19)}Z`;
    const shared = { timestamp, summary, report: this.report, endpoint_group: 'SITE', service: 'CE', metric: 'ping', status: 'OK' };
    const body = hostsOf(caller).map((host) => ({ ...shared, host }));
    const written = await this.send(node, summary, (status) => status.post('/metric_data', { key: KEY, body }), 201);
    if (!written) return;
    this.submitted.add(summary);
    if (written.headers.get('logbook-read-model') === 'behind') return;
    const path = `/metric_result/${hostsOf(caller)[0]}/ping?exec_time=${timestamp}`;
    const read = await this.send(node, `${summary} read`, (status) => status.get(path, { key: KEY }), 200);
    if (read && read.text.split(`"${summary}"`).length !== 2) this.failures.push(`${summary} read: ${read.text}`);
  }

  /** Random changes of all services. Each call goes to the next node. */
  private async changeAll(): Promise<void> {
    let turn = 0;
    let node = this.nodes[0] as LogbookProcess;
    const next = () => {
      node = this.nodes[turn++ % this.nodes.length] as LogbookProcess;
      return httpClient(node.url);
    };
    const world = new World(next, 20_260_102);
    const attempt = (change: Promise<void>): Promise<void> =>
      change.catch((error) => {
        if (this.nodes.includes(node) && !isOfOtherRelease(error)) this.failures.push(`${error}`);
      });
    await attempt(world.begin());
    for (; !this.stopped; this.changes++) await attempt(world.change());
  }

  /** A connection that a node refuses because it ends has done nothing; the balancer takes another node. */
  private async send(
    node: LogbookProcess,
    what: string,
    call: (status: ReturnType<typeof statusClient>) => Promise<Answer>,
    wanted: number,
  ): Promise<Answer | undefined> {
    try {
      const answer = await call(statusClient(node.url));
      if (answer.status === wanted) return answer;
      this.failures.push(`${what}: ${answer.status} ${answer.text}`);
    } catch (error) {
      if (this.nodes.includes(node)) this.failures.push(`${what}: ${error}`);
    }
    return undefined;
  }
}

/** Answers of another release may lack members that today's description has. */
const isOfOtherRelease = (error: unknown): boolean => BEFORE !== undefined && `${error}`.includes('is not as described');

const hostsOf = (caller: number): readonly string[] => [`first-${caller}`, `second-${caller}`];

/** A tenant with a report. Returns its id. */
const addReport = async (url: string): Promise<string> => {
  const status = statusClient(url);
  await registerTenant(status, ADMIN, 'upgraded', ['admin']);
  const topology = { group: { type: 'NGI', group: { type: 'SITES' } } };
  return idOf(await status.post('/reports', { key: KEY, body: { info: { name: REPORT.name }, topology_schema: topology } }));
};

/** A node shows each point of acknowledged calls once, and of any other call all points or none. */
const expectPoints = async (url: string, submitted: ReadonlySet<string>): Promise<void> => {
  const { json } = await statusClient(url).get(`/latest/${REPORT.name}/SITES?limit=-1&date=${REPORT.day}T00:00:00Z`, { key: KEY });
  const { data } = json as { data: { metric_data: readonly Readonly<{ endpoint: string; summary: string }>[] } };
  const hosts = new Map<string, string[]>();
  for (const { endpoint, summary } of data.metric_data) hosts.set(summary, [...(hosts.get(summary) ?? []), endpoint].sort());
  expect([...submitted].filter((summary) => !hosts.has(summary))).toEqual([]);
  for (const [summary, found] of hosts) expect([summary, found]).toEqual([summary, hostsOf(Number(summary.split(' ')[1]))]);
};

/** The documents that are served are those that the log makes. */
const expectVerified = async (url: string): Promise<void> => {
  const ops = httpClient(url);
  const { items } = (await ops.get('/ops/projections', { key: OPERATOR })).json as { items: readonly { name: string }[] };
  for (const { name } of items) {
    const href = await accepted(() => ops.post(`/ops/projections/${name}/verify`, { key: OPERATOR }));
    const verified = await eventually(() => ops.get(href, { key: OPERATOR })).until(
      ({ json }) => (json as { endedAt: string | null }).endedAt !== null,
    );
    expect([name, verified.json]).toEqual([name, expect.objectContaining({ state: 'done', equal: true, differenceCount: 0 })]);
  }
};

const versionServed = async ({ environment }: Deployment): Promise<number | undefined> => {
  const { REDIS_URL: url = '', LOGBOOK_REDIS_PREFIX: keyPrefix = '' } = environment;
  const store = await openRedisReadStore({ url, keyPrefix });
  try {
    return (await store.served(RECORDS))?.version;
  } finally {
    await store.close();
  }
};

describe('a rolling upgrade to a version with other read models', () => {
  let deployment: Deployment;
  let release: Release;
  let report: string;
  let before: LogbookProcess | undefined;
  let after: LogbookProcess | undefined;
  /** Of the new version, with the role `api` only: there first, so it reads what the old version projects. */
  let first: LogbookProcess | undefined;

  beforeAll(async () => {
    const thisOne = { root: process.cwd(), remove: async () => {} };
    [deployment, release] = await Promise.all([distributed(), BEFORE === undefined ? nextVersion() : thisOne]);
    before = await startLogbook(deployment.environment, undefined, BEFORE);
    await untilReady(httpClient(before.url));
    report = await addReport(before.url);
  });
  afterAll(async () => {
    await Promise.all([before?.stop(), first?.stop(), after?.stop()]);
    await Promise.all([deployment?.dispose(), release?.remove()]);
  });

  it('begins at a node that only answers, then builds beside what is served; no caller sees an error or loses a write, until the old node has ended', async () => {
    const old = before as LogbookProcess;
    const nodes = [old];
    const versionBefore = await versionServed(deployment);
    const callers = new Callers(nodes, report);
    callers.start(4);
    await callers.untilWritten(20);

    const begin = async (roles: Readonly<Record<string, string>> = {}) => {
      const node = await startLogbook({ ...(await oneMoreNode(deployment)), ...roles }, undefined, release.root);
      await untilReady(httpClient(node.url));
      nodes.push(node);
      await callers.untilWritten(40);
      return node;
    };
    if (BEFORE === undefined) {
      first = await begin({ LOGBOOK_ROLES: 'api' });
      expect(await versionServed(deployment)).toBe(versionBefore);
    }
    after = await begin();
    const upgraded = after;
    await untilReady(httpClient(old.url));
    first ??= await begin({ LOGBOOK_ROLES: 'api' }); // reads what the new version has built
    for (const { lines } of [first, upgraded]) expect(lines.filter((line) => line.includes('"error"'))).toEqual([]);

    nodes.splice(0, 1);
    expect(await old.stop()).toBe(0);
    before = undefined;
    await callers.untilWritten(20);
    await callers.stop();
    expect(callers.failures).toEqual([]);

    for (const status of [statusClient(first.url), statusClient(upgraded.url)])
      for (const [id, name] of callers.acknowledged) expect((await status.get(`/weights/${id}`, { key: KEY })).text).toContain(`"${name}"`);
    for (const { url } of [first, upgraded]) await expectPoints(url, callers.submitted);
    await untilReady(httpClient(upgraded.url));
    await expectVerified(upgraded.url);
    if (BEFORE === undefined) expect(await versionServed(deployment)).toBe(Number(versionBefore) + 1);
    expect(callers.changes).toBeGreaterThan(10);
  });
});
