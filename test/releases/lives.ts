import { setTimeout as sleep } from 'node:timers/promises';
import { computedReport } from '#test/e2e/status/results/computed-report.js';
import { type Headers, SERVICE, SUPER, type World } from '#test/support/as-of/world.js';
import { OPERATOR } from '#test/support/deployments.js';
import type { HttpClient } from '#test/support/status-client.js';

const OPS: Headers = { 'x-api-key': OPERATOR };
const FED: Headers = { 'x-api-key': 'fed-tenant-key' };
const LAB = '/v1/projects/lab';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A server while the data of a release are made. */
export class Life {
  constructor(
    private readonly http: () => HttpClient,
    private readonly world: World,
    /** Notes the head of the log. */
    private readonly note: () => Promise<void>,
  ) {}

  /** Messages expire after five seconds. */
  async first(): Promise<void> {
    await this.world.begin();
    await this.note();
    await this.topic('passing', { passing: {}, behind: {} });
    await this.publish('passing', 12);
    for (let message = 0; message < 5; message++) await this.publish('passing', 1);
    for (let message = 0; message < 24; message++) {
      await this.publish('passing', 1);
      if (message === 11) await this.changes(6);
      await sleep(500);
    }
    await this.acknowledge('passing', 3);
    await this.changes(25);
    await this.anchor();
    await this.note();
    await sleep(80_000); // messages leave the log
  }

  /** Messages stay. */
  async second(): Promise<void> {
    await this.changes(25);
    await this.note();
    await this.topic('lasting', { lasting: {}, compacted: {}, ahead: {}, shared: { ackMode: 'message' } });
    for (let call = 0; call < 30; call++) await this.publish('lasting', 2);
    await this.publish('passing', 2);
    await this.acknowledge('lasting', 7);
    await this.acknowledge('behind', 1);
    await this.acknowledge('shared', 5);
    await this.acknowledge('shared', 2);
    await this.changes(6);
    await this.note();
    await this.letters();
    await this.metrics();
    await this.certificates();
    await this.anchor();
    for (let message = 0; message < 24; message++) {
      await this.acknowledge('compacted', 1);
      await sleep(2_000);
    }
    await this.changes(15);
    await this.note();
    for (let message = 0; message < 20; message++) {
      await this.acknowledge('ahead', 1);
      await sleep(2_000);
    }
    await sleep(70_000); // acknowledgements leave the log
    await this.pull('lasting', 2);
    await this.note();
  }

  /** Dead letters: one is read and sent back by an operator, one by a subscription. */
  private async letters(): Promise<void> {
    await this.topic('lost', { letters: {} });
    const labels = { team: 'release', tier: 'gold' };
    await this.call(SERVICE, 'PUT', `${LAB}/topics/work`, { labels, messageRetentionDuration: '31536000s' });
    const patch = { topic: { labels: { team: 'other' } }, updateMask: 'labels' };
    await this.call(SERVICE, 'PATCH', `${LAB}/topics/work`, patch);
    await this.subscription('workers', 'work', {
      ackMode: 'message',
      labels,
      filter: 'attributes.colour = "red"',
      enableMessageOrdering: true,
      deadLetterPolicy: { deadLetterTopic: 'projects/lab/topics/lost', maxDeliveryAttempts: 5 },
      retryPolicy: { minimumBackoff: '0s', maximumBackoff: '0s' },
    });
    const messages = ['red', 'blue', 'red', 'red'].map((colour, index) => ({
      data: base64(`job ${index}`),
      attributes: { colour },
      orderingKey: `${index}`,
    }));
    await this.call(SERVICE, 'POST', `${LAB}/topics/work:publish`, { messages });
    for (let attempts = 0; attempts < 15; ) {
      const ackIds = await this.pull('workers', 3);
      attempts += ackIds.length;
      const body = { ackIds, ackDeadlineSeconds: 0 };
      if (ackIds.length > 0) await this.call(SERVICE, 'POST', `${LAB}/subscriptions/workers:modifyAckDeadline`, body);
    }
    const topic = '/ops/messaging/lab/topics/lost/dead-letters';
    await this.until(topic, ({ items }) => (items as readonly unknown[]).length === 3);
    await this.call(OPS, 'GET', `${topic}/1`);
    await this.call(OPS, 'POST', `${topic}/redrive`, { messages: ['0'] });
    await this.call(SERVICE, 'POST', `${LAB}/subscriptions/letters:redrive`, { maxMessages: 2 });
    await this.call(SERVICE, 'POST', `${LAB}/subscriptions/workers:seek`, { time: '2020-01-01T00:00:00Z' });
    await this.acknowledge('workers', 1);
  }

  /** A tenant whose metric results come from a topic, and whose statuses are notified for a while. */
  private async metrics(): Promise<void> {
    const users = [{ name: 'eve', email: 'eve@example.org', api_key: FED['x-api-key'], roles: ['admin', 'editor'] }];
    const { data } = await this.call(SUPER, 'POST', '/api/v2/admin/tenants', { info: { name: 'fed' }, users });
    const path = `/api/v2/admin/tenants/${(data as { id: string }).id}`;
    await computedReport({ post: (to, body) => this.http().post(`/api/v2${to}`, { body, headers: FED }) });
    const point = (status: string, host: string, secondsAgo = 0) => {
      const timestamp = `${new Date(Date.now() - secondsAgo * 1_000).toISOString().slice(0, 19)}Z`;
      return { timestamp, service: 'CE', host, metric: 'ping', status, summary: 'measured' };
    };
    const json = { ...FED, 'content-type': 'application/json' };
    const fine = [point('OK', 'h1', 900), point('OK', 'h2', 900), { ...point('OK', 'h1', 900), service: 'SE', metric: 'load' }];
    await this.call(json, 'POST', '/api/v2/metric_data', fine);
    for (const topic of ['statuses', 'refused']) await this.call(SERVICE, 'PUT', `${LAB}/topics/${topic}`, {});
    await this.topic('measured', { measured: {} });
    const source = { project: 'lab', subscription: 'measured', dead_letter_topic: 'refused' };
    await this.call(SUPER, 'PUT', `${path}/metric-source`, source);
    const settings = { project: 'lab', topic: 'statuses', reports: ['Critical'], levels: ['group', 'service'] };
    await this.call(SUPER, 'PUT', `${path}/status-notifications`, settings);
    await this.until('/audit/events?type=StatusChangesFound', ({ items }) => (items as readonly unknown[]).length > 0); // the first check
    const messages = [point('CRITICAL', 'h1'), point('CRITICAL', 'h2'), 'no metric data'].map((value) => ({
      data: base64(JSON.stringify(value)),
    }));
    await this.call(SERVICE, 'POST', `${LAB}/topics/measured:publish`, { messages });
    const count = (name: string, wanted: number): Promise<void> =>
      this.until(`${path}/metric-source`, ({ data: [first] = [] }) => Number(first?.[name]) >= wanted, SUPER);
    await count('dead_lettered', 1);
    await this.until(`${path}/status-notifications`, ({ data: [first] = [] }) => Number(first?.published) >= 1, SUPER);
    await this.call(SUPER, 'POST', `${path}/metric-source/retry`, {});
    await this.call(SUPER, 'DELETE', `${path}/status-notifications`);
  }

  private async certificates(): Promise<void> {
    const person = { email: 'site@x.org', projects: [{ project: 'lab', roles: ['publisher'] }] };
    await this.call(SERVICE, 'POST', '/v1/users/site', person);
    const subject = (name: string) => ({ subject: `/C=UK/O=eScience/CN=${name}.example.org`, project: 'lab', user: 'site' });
    await this.call(OPS, 'POST', '/ops/certificates', subject('ce'));
    const { id } = await this.call(OPS, 'POST', '/ops/certificates', subject('se'));
    await this.call(OPS, 'DELETE', `/ops/certificates/${id}`);
    for (const body of [
      { service: 'status', role: 'super_admin_viewer', name: 'kept' },
      { service: 'messaging', role: 'service_admin', name: 'revoked' },
    ]) {
      const key = await this.call(OPS, 'POST', '/ops/keys', body);
      if (body.name === 'revoked') await this.call(OPS, 'DELETE', `/ops/keys/${key.id}`);
    }
    await this.call(OPS, 'GET', '/ops/keys');
    await this.call(OPS, 'GET', '/audit/events?personal=true&limit=1');
    await this.call(OPS, 'POST', '/ops/erasures', { service: 'messaging', kind: 'user', id: 'user-1', reason: 'request 1' }, [202, 404]);
  }

  private async changes(count: number): Promise<void> {
    for (let change = 0; change < count; change++) await this.world.change();
  }

  private async anchor(): Promise<void> {
    await this.call(OPS, 'POST', '/audit/anchors');
  }

  private async topic(name: string, subscriptions: Readonly<Record<string, object>>): Promise<void> {
    await this.call(SERVICE, 'PUT', `${LAB}/topics/${name}`, {});
    for (const [one, settings] of Object.entries(subscriptions)) await this.subscription(one, name, settings);
  }

  private async subscription(name: string, topic: string, settings: object): Promise<void> {
    await this.call(SERVICE, 'PUT', `${LAB}/subscriptions/${name}`, { topic: `projects/lab/topics/${topic}`, ...settings });
  }

  private async publish(topic: string, count: number): Promise<void> {
    const messages = Array.from({ length: count }, (_, index) => ({ data: base64(`${topic} ${index}`), attributes: { n: `${index}` } }));
    await this.call(SERVICE, 'POST', `${LAB}/topics/${topic}:publish`, { messages });
  }

  private async pull(subscription: string, count: number): Promise<readonly string[]> {
    const body = { maxMessages: `${count}`, returnImmediately: 'true' };
    const { receivedMessages } = await this.call(SERVICE, 'POST', `${LAB}/subscriptions/${subscription}:pull`, body);
    return (receivedMessages as readonly { ackId: string }[]).map(({ ackId }) => ackId);
  }

  private async acknowledge(subscription: string, count: number): Promise<void> {
    const ackIds = await this.pull(subscription, count);
    await this.call(SERVICE, 'POST', `${LAB}/subscriptions/${subscription}:acknowledge`, { ackIds });
  }

  /** @throws after a minute */
  private async until(
    path: string,
    is: (json: { data?: readonly Record<string, unknown>[] } & Record<string, unknown>) => boolean,
    headers = OPS,
  ): Promise<void> {
    for (let tries = 0; !is(await this.call(headers, 'GET', path)); tries++) {
      if (tries === 600) throw new Error(`${path} did not become as expected`);
      await sleep(100);
    }
  }

  private async call(
    headers: Headers,
    method: string,
    path: string,
    body?: unknown,
    statuses: readonly number[] = [200, 201, 202, 204],
  ): Promise<Record<string, unknown>> {
    const { status, text, json } = await this.http().call(method, path, { headers, ...(body !== undefined && { body }) });
    if (!statuses.includes(status)) throw new Error(`${method} ${path}: ${status} ${text}`);
    return (json ?? {}) as Record<string, unknown>;
  }
}
