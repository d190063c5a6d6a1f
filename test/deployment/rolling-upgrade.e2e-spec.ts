import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openRedisReadStore } from '#infra/stores/read-store/redis/redis-read-store.js';
import { weights } from '#test/e2e/status/contract.js';
import { World } from '#test/support/as-of/world.js';
import { ADMIN, type Deployment, distributed, OPERATOR, oneMoreNode } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/logbook-process.js';
import { type Answer, httpClient, idOf, registerTenant, statusClient } from '#test/support/status-client.js';
import { nextVersion, type Release } from './next-version.js';

/**
 * Root of a built checkout of another release: then the update goes from that one to this. Otherwise from this one to one whose read models have
 * higher versions.
 */
const BEFORE = process.env.LOGBOOK_RELEASE_BEFORE;

const KEY = 'upgraded-admin';
const RECORDS = 'status.dated-records';

/** What callers of a balancer see, while nodes come and go behind it. */
class Callers {
  /** Names of records by id, as they were acknowledged. */
  readonly acknowledged = new Map<string, string>();
  readonly failures: string[] = [];
  /** Changes of all services so far. */
  changes = 0;
  private readonly running: Promise<void>[] = [];
  private stopped = false;

  /** @param nodes those that the balancer sends requests to now */
  constructor(private readonly nodes: LogbookProcess[]) {}

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
    await eventually(
      async () => ({ written: this.acknowledged.size, failures: this.failures }),
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
    }
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
        if (this.nodes.includes(node)) this.failures.push(`${error}`);
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

/** The documents that are served are those that the log makes. */
const expectVerified = async (url: string): Promise<void> => {
  const ops = httpClient(url);
  const { items } = (await ops.get('/ops/projections', { key: OPERATOR })).json as { items: readonly { name: string }[] };
  for (const { name } of items) {
    const { href } = (await ops.post(`/ops/projections/${name}/verify`, { key: OPERATOR })).json as { href: string };
    const verified = await eventually(
      () => ops.get(href, { key: OPERATOR }),
      ({ json }) => (json as { endedAt: string | null }).endedAt !== null,
    );
    expect([name, verified.json]).toEqual([name, expect.objectContaining({ state: 'done', equal: true, differenceCount: 0 })]);
  }
};

describe('a rolling upgrade to a version with other read models', () => {
  let deployment: Deployment;
  let release: Release;
  let before: LogbookProcess | undefined;
  let after: LogbookProcess | undefined;
  /** Of the new version, with the role `api` only: there first, so it reads what the old version projects. */
  let first: LogbookProcess | undefined;

  beforeAll(async () => {
    const thisOne = { root: process.cwd(), remove: async () => {} };
    [deployment, release] = await Promise.all([distributed(), BEFORE === undefined ? nextVersion() : thisOne]);
    before = await startLogbook(deployment.environment, undefined, BEFORE);
    await untilReady(httpClient(before.url));
    await registerTenant(statusClient(before.url), ADMIN, 'upgraded', ['admin']);
  });
  afterAll(async () => {
    await Promise.all([before?.stop(), first?.stop(), after?.stop()]);
    await Promise.all([deployment?.dispose(), release?.remove()]);
  });

  const versionServed = async (): Promise<number | undefined> => {
    const { REDIS_URL: url = '', LOGBOOK_REDIS_PREFIX: keyPrefix = '' } = deployment.environment;
    const store = await openRedisReadStore({ url, keyPrefix });
    try {
      return (await store.served(RECORDS))?.version;
    } finally {
      await store.close();
    }
  };

  it('begins at a node that only answers, then builds beside what is served; no caller sees an error or loses a write, until the old node has ended', async () => {
    const old = before as LogbookProcess;
    const nodes = [old];
    const versionBefore = await versionServed();
    const callers = new Callers(nodes);
    callers.start(4);
    await callers.untilWritten(20);

    first = await startLogbook({ ...(await oneMoreNode(deployment)), LOGBOOK_ROLES: 'api' }, undefined, release.root);
    await untilReady(httpClient(first.url));
    nodes.push(first);
    await callers.untilWritten(40);
    expect(await versionServed()).toBe(versionBefore);

    after = await startLogbook(await oneMoreNode(deployment), undefined, release.root);
    const upgraded = after;
    await untilReady(httpClient(upgraded.url));
    await untilReady(httpClient(old.url));
    nodes.push(upgraded);
    await callers.untilWritten(40);
    for (const { lines } of [first, upgraded]) expect(lines.filter((line) => line.includes('"error"'))).toEqual([]);

    nodes.splice(0, 1);
    expect(await old.stop()).toBe(0);
    before = undefined;
    await callers.untilWritten(20);
    await callers.stop();
    expect(callers.failures).toEqual([]);

    for (const status of [statusClient(first.url), statusClient(upgraded.url)])
      for (const [id, name] of callers.acknowledged) expect((await status.get(`/weights/${id}`, { key: KEY })).text).toContain(`"${name}"`);
    await untilReady(httpClient(upgraded.url));
    await expectVerified(upgraded.url);
    if (BEFORE === undefined) expect(await versionServed()).toBe(Number(versionBefore) + 1);
    expect(callers.changes).toBeGreaterThan(10);
  });
});
