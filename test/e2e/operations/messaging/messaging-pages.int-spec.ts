import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Message, messagesStream } from '#domain/messaging/messages/message-events.js';
import { messages } from '#domain/messaging/messages/messages.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { type Deployment, deployments } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { runs } from '#test/support/test-runs.js';

const OPS = { 'x-api-key': 'ops-key-of-messaging-pages' };
const TOKEN = { 'x-api-key': 'service-token-of-messaging-pages' };
const MINUTE = 60_000;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Members of answers that are looked at one by one. */
type Page = Readonly<{
  items: readonly Readonly<{ id: string; from: string }>[];
  next: string | null;
  messages: number;
  total: Readonly<{ count: number; exact: boolean }>;
  backlog: readonly Readonly<{ messages: number; exact: boolean }>[];
  lastHour: Readonly<{ from: string; published: readonly number[] }>;
}>;

describe.each(deployments)('pages of the messaging service on %s', (_, open) => {
  let lab: PastLab;
  let deployment: Deployment;
  let operator: Readonly<Record<string, string>>;
  let auditor: Readonly<Record<string, string>>;
  beforeAll(async () => {
    deployment = await open();
    lab = await openPastLab(deployment, { LOGBOOK_OPS_KEY: OPS['x-api-key'], LOGBOOK_MESSAGING_SERVICE_TOKEN: TOKEN['x-api-key'] });
    const keyOf = async (role: string) => {
      const { json } = await lab.http.post('/ops/keys', { headers: OPS, body: { service: 'ops', role, name: role } });
      return { 'x-api-key': (json as { key: string }).key };
    };
    [operator, auditor] = [await keyOf('operator'), await keyOf('auditor')];
    await made('/v1/projects/p', {}, 'post');
    for (const topic of ['work', 'lost', 'other']) await made(`/v1/projects/p/topics/${topic}`);
    const policy = { deadLetterTopic: 'projects/p/topics/lost', maxDeliveryAttempts: 5 };
    for (const [name, topic] of [
      ['workers', 'work'],
      ['others', 'other'],
    ] as const)
      await made(`/v1/projects/p/subscriptions/${name}`, {
        topic: `projects/p/topics/${topic}`,
        ackMode: 'message',
        deadLetterPolicy: policy,
        retryPolicy: { minimumBackoff: '0s', maximumBackoff: '0s' },
      });
    await made('/v1/projects/p/subscriptions/plain', { topic: 'projects/p/topics/work' });
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  const made = async (path: string, body: object = {}, method: 'put' | 'post' = 'put') =>
    expect((await lab.http[method](path, { headers: TOKEN, body })).status).toBe(200);
  const publish = (topic: string, ...texts: readonly string[]) =>
    made(
      `/v1/projects/p/topics/${topic}:publish`,
      { messages: texts.map((text) => ({ data: base64(text), attributes: { colour: text } })) },
      'post',
    );
  const get = async (path: string, headers: Readonly<Record<string, string>> = operator) => {
    const { status, json } = await lab.http.get(`/ops/messaging${path}`, { headers });
    return { status, json: json as Page };
  };
  const redrive = async (path: string, body: object = {}, headers: Readonly<Record<string, string>> = operator) =>
    lab.http.post(`/ops/messaging/p/${path}/dead-letters/redrive`, { headers, body });
  /** The consumer gives everything back that it pulls, until the attempts are used up. */
  const bury = async (subscription: string, messages: number) => {
    const counted = async () => (await get('/p/topics/lost/dead-letters')).json.total.count;
    const before = await counted();
    for (let attempt = 0; attempt < 5 * messages; ) {
      const body = { maxMessages: `${messages}` };
      const { json } = await lab.http.post(`/v1/projects/p/subscriptions/${subscription}:pull`, { headers: TOKEN, body });
      const ackIds = (json as { receivedMessages: { ackId: string }[] }).receivedMessages.map(({ ackId }) => ackId);
      attempt += ackIds.length;
      if (ackIds.length > 0)
        await made(`/v1/projects/p/subscriptions/${subscription}:modifyAckDeadline`, { ackIds, ackDeadlineSeconds: 0 }, 'post');
    }
    await eventually(counted).until((count) => count >= before + messages);
  };
  /** As a part of the service publishes dead letters to a topic. */
  const publishAs = async (publisher: string, topic: string, all: readonly Message[]) => {
    const { readStore, processor, clock } = lab.runtime;
    const { projectId = '' } = (await new AccountQueries(readStore).projectNamed('p')) ?? {};
    const { topicId = '' } = (await new ResourceQueries(readStore).topic(projectId, topic)) ?? {};
    const command = { type: 'PublishMessages', projectId, messages: all, now: new Date(clock()).toISOString() } as const;
    const context = systemContext(publisher, 'messaging', clock(), { id: 'message', correlationId: 'c' });
    await processor.execute({ stream: messagesStream(topicId), decider: messages, command, context });
  };
  const lettersOf = async (path: string) => (await get(`/p/${path}/dead-letters`)).json.items;
  const head = () => lab.runtime.eventStore.head();

  it('list dead letters without their data, whether or not a subscription reads them, and leave no event', async () => {
    await publish('work', 'one', 'two', 'three');
    await publish('other', 'four');
    await bury('workers', 3);
    await bury('others', 1);
    await publish('lost', 'no letter');
    const before = await head();
    const { json } = await get('/p/subscriptions/workers/dead-letters');
    expect(json).toMatchObject({ topic: 'lost', exists: true, next: null, total: { count: 3, exact: true } });
    expect(json.items).toEqual(
      ['2', '1', '0'].map((id) => ({
        id,
        from: 'workers',
        attributes: {
          'logbook-source-subscription': 'projects/p/subscriptions/workers',
          'logbook-source-message-id': id,
          'logbook-source-publish-time': expect.any(String),
          'logbook-delivery-attempts': '5',
        },
        otherAttributes: ['colour'],
        bytes: id === '2' ? 5 : 3,
        reason: 'not acknowledged in 5 attempts',
        attempts: 5,
        at: expect.any(String),
      })),
    );
    expect((await lettersOf('topics/lost')).map(({ id, from }) => [id, from])).toEqual([
      ['3', 'others'],
      ['2', 'workers'],
      ['1', 'workers'],
      ['0', 'workers'],
    ]);
    const page = await get('/p/topics/lost/dead-letters?limit=3');
    expect(page.json).toMatchObject({ next: '1', total: { count: 4 } });
    expect((await get('/p/topics/lost/dead-letters?limit=3&after=1')).json).toMatchObject({ items: [{ id: '0' }], next: null });
    expect((await get('/p/subscriptions/plain/dead-letters')).json).toMatchObject({ topic: null, items: [] });
    expect((await get('/p')).json).toMatchObject({
      topics: [{ name: 'other' }, { name: 'lost' }, { name: 'work', messages: 3 }],
      subscriptions: [
        { name: 'plain', backlog: 3, exact: true, outstanding: 0, pushState: null, deadLetters: null },
        { name: 'others', deadLetterTopic: 'lost', deadLetters: { count: 1, exact: true } },
        { name: 'workers', deadLetterTopic: 'lost', deadLetters: { count: 3, exact: true }, outstanding: 0 },
      ],
      more: false,
      metricSources: [],
    });
    expect((await get('/p/topics/lost')).json).toMatchObject({ deadLetters: { count: 4, exact: true } });
    expect((await get('/p/topics/work')).json).toMatchObject({ deadLetters: null, subscriptions: ['workers', 'plain'] });
    expect((await get('')).json).toMatchObject({ items: [{ name: 'p', topics: 3, subscriptions: 3 }], total: 1 });
    expect(await head()).toBe(before);
  });

  it('show the data of a dead letter to auditors, each time as an event', async () => {
    const path = '/p/topics/lost/dead-letters/1';
    expect((await get(path)).status).toBe(403);
    const shown = { id: '1', data: base64('two'), attributes: expect.objectContaining({ colour: 'two' }) };
    expect(await get(path, auditor)).toEqual({ status: 200, json: shown });
    await get(path, auditor);
    const { items } = (await lab.http.get('/audit/events?type=MessageDataRead', { headers: auditor })).json as { items: object[] };
    expect(items).toHaveLength(2);
    expect(items).toMatchObject([{ data: { messageId: '1' }, actor: { name: 'auditor' } }, {}]);
    for (const id of ['4', '9', 'x']) expect((await get(`/p/topics/lost/dead-letters/${id}`, auditor)).status).toBe(404);
  });

  it('redrive what is selected, or all, to where it came from; each is sent once', async () => {
    expect((await redrive('subscriptions/workers', {}, auditor)).status).toBe(403);
    expect((await redrive('subscriptions/workers', { messages: ['1', '7', '3'] })).json).toEqual({ redriven: 1, kept: 0, next: null });
    expect((await lettersOf('subscriptions/workers')).map(({ id }) => id)).toEqual(['2', '0']);
    expect((await redrive('topics/lost', { messages: ['1'] })).json).toEqual({ redriven: 0, kept: 0, next: null });
    await made('/v1/projects/p/subscriptions/late', { topic: 'projects/p/topics/lost' });
    expect((await lab.http.delete('/v1/projects/p/topics/other', { headers: TOKEN })).status).toBe(200);
    expect((await redrive('topics/lost')).json).toEqual({ redriven: 2, kept: 1, next: null });
    expect((await lettersOf('topics/lost')).map(({ from }) => from)).toEqual(['others']);
    const { json } = await lab.http.post('/v1/projects/p/subscriptions/plain:pull', { headers: TOKEN, body: { maxMessages: '10' } });
    const received = (json as { receivedMessages: { message: { data: string; attributes: object } }[] }).receivedMessages;
    expect(received.slice(3).map(({ message: { data, attributes } }) => [data, attributes])).toEqual(
      ['two', 'one', 'three'].map((text) => [base64(text), { colour: text }]),
    );
    const { items } = (await lab.http.get('/audit/events?type=DeadLettersRedriven', { headers: auditor })).json as { items: object[] };
    expect(items).toMatchObject([
      { actor: { kind: 'key', name: 'operator' }, data: { messages: [1, 2] } },
      { actor: { kind: 'key', name: 'operator' }, data: { messages: [0, 1, 2, 3] } },
    ]);
  });

  it('list, count and redrive thousands: each is listed once, and sent once by two who ask at the same time', async () => {
    const LETTERS = runs(2_500, 1_100); // a call redrives a thousand at most
    for (const topic of ['many', 'lost-many']) await made(`/v1/projects/p/topics/${topic}`);
    const deadLetterPolicy = { deadLetterTopic: 'projects/p/topics/lost-many', maxDeliveryAttempts: 5 };
    await made('/v1/projects/p/subscriptions/crowd', { topic: 'projects/p/topics/many', ackMode: 'message', deadLetterPolicy });
    const attributes = { 'logbook-source-subscription': 'projects/p/subscriptions/crowd', 'logbook-delivery-attempts': '5' };
    const all = Array.from({ length: LETTERS }, (_, index) => ({ data: base64(`${index}`), attributes }));
    await publishAs('deliveries', 'lost-many', all);
    await eventually(() => get('/p/topics/lost-many')).until(({ json }) => json.messages === LETTERS);
    const listed: string[] = [];
    for (let query: string | undefined = ''; query !== undefined; ) {
      const { items, next, total }: Page = (await get(`/p/subscriptions/crowd/dead-letters${query}`)).json;
      expect([items.length, total]).toEqual([100, { count: LETTERS, exact: true }]);
      listed.push(...items.map(({ id }) => id));
      query = next === null ? undefined : `?after=${next}`;
    }
    expect(listed).toEqual(Array.from({ length: LETTERS }, (_, index) => `${LETTERS - 1 - index}`));
    expect((await get('/p')).json).toMatchObject({
      subscriptions: [{ name: 'crowd', deadLetters: { count: LETTERS, exact: true } }, {}, {}, {}, {}],
    });
    const answers: Readonly<{ redriven: number; kept: number; next: string | null }>[] = [];
    const redriveAll = async (): Promise<void> => {
      for (let after: string | null | undefined; after !== null; ) {
        const { status, json } = await redrive('topics/lost-many', { after });
        expect(status).toBe(200);
        answers.push(json as (typeof answers)[number]);
        after = answers.at(-1)?.next;
      }
    };
    await Promise.all([redriveAll(), redriveAll()]);
    expect(answers.reduce((sum, { redriven }) => sum + redriven, 0)).toBe(LETTERS);
    expect(answers.every(({ redriven, kept }) => redriven <= 1_000 && kept === 0)).toBe(true);
    expect((await get('/p/subscriptions/crowd/dead-letters')).json).toMatchObject({
      items: [],
      next: null,
      total: { count: 0, exact: true },
    });
    expect((await get('/p/topics/many')).json).toMatchObject({ messages: LETTERS });
  });

  it('list dead letters of a metric source before this version, which do not say where they come from, and keep them', async () => {
    await made('/v1/projects/p/topics/flawed');
    const attributes = { 'logbook-reason': 'there is no timestamp', 'logbook-message-id': '7', 'logbook-set-aside': '1' };
    await publishAs('metric-source', 'flawed', [{ data: base64('old'), attributes }]);
    const page = await eventually(() => get('/p/topics/flawed/dead-letters')).until(({ json }) => json.items.length === 1);
    expect(page).toMatchObject({
      status: 200,
      json: {
        items: [{ id: '0', from: null, attributes, reason: 'there is no timestamp', attempts: 1 }],
        total: { count: 1, exact: true },
      },
    });
    expect((await redrive('topics/flawed')).json).toEqual({ redriven: 0, kept: 1, next: null });
    expect((await get('/p/topics/flawed')).json).toMatchObject({ deadLetters: { count: 1, exact: true } });
  });

  it('refuse what is no redrive, and find nothing in another project, without an event', async () => {
    await made('/v1/projects/q', {}, 'post');
    await made('/v1/projects/q/topics/lost');
    const before = await head();
    const ids = Array.from({ length: 10_000 }, (_, index) => `${index}`);
    expect((await redrive('topics/lost', { messages: ids })).json).toMatchObject({ status: 413 });
    for (const body of [
      { messages: ids.slice(0, 1_001) },
      { messages: '1' },
      { messages: [1] },
      { messages: ['x'.repeat(17)] },
      { after: '5' },
      { all: true },
    ]) {
      const { status, json } = await redrive('topics/lost', body);
      expect([body, status, json]).toMatchObject([body, 400, { status: 400, errors: [{ member: Object.keys(body)[0] }] }]);
    }
    for (const [key, status] of [
      [auditor, 403],
      [TOKEN, 401],
    ] as const)
      expect((await redrive('topics/lost', {}, key)).json).toMatchObject({ status });
    for (const path of ['topics/none', 'subscriptions/none']) expect((await redrive(path)).json).toMatchObject({ status: 404 });
    const nothing = { status: 200, json: { redriven: 0, kept: 0, next: null } };
    const [left] = await lettersOf('topics/lost');
    const foreign = await lab.http.post('/ops/messaging/q/topics/lost/dead-letters/redrive', {
      headers: operator,
      body: { messages: [left?.id] },
    });
    expect(foreign).toMatchObject(nothing);
    expect(await redrive('topics/lost', { messages: ['-1', '1e3', '01', '999999999999999'] })).toMatchObject(nothing);
    expect(await redrive('topics/lost', { messages: [] })).toMatchObject(nothing);
    expect(await redrive('topics/work')).toMatchObject(nothing);
    expect(await redrive('subscriptions/plain')).toMatchObject(nothing);
    expect(await head()).toBe(before);
    expect((await lettersOf('topics/lost')).map(({ id }) => id)).toEqual([left?.id]);
  });

  it('show what waits in a subscription by age, in and out in bins of the clock, and who may pull', async () => {
    await made('/v1/projects/p/topics/aged');
    await made('/v1/projects/p/subscriptions/slow', { topic: 'projects/p/topics/aged' });
    await made('/v1/projects/p/subscriptions/picky', { topic: 'projects/p/topics/aged', filter: 'attributes:x' });
    await publish('aged', 'a', 'b');
    lab.advance(26 * 60 * MINUTE);
    await publish('aged', 'c');
    lab.advance(30 * MINUTE);
    await publish('aged', 'd', 'e', 'f');
    lab.advance(5 * MINUTE);
    await publish('aged', 'g');
    const { json: state } = await get('/p/subscriptions/slow');
    const counts = [1, 3, 1, 0, 2].map((messages) => ({ messages, exact: true }));
    expect(state).toMatchObject({
      topic: { name: 'aged', exists: true },
      ackMode: 'cursor',
      backlog: counts,
      outNow: 0,
      outstanding: 0,
      push: null,
    });
    expect(state).toMatchObject({ users: [], acknowledgedUpTo: null, deadLetterTopic: null, deadLetters: null, consumers: { streams: 0 } });
    await made('/v1/projects/p/subscriptions/joined', { topic: 'projects/p/topics/aged' });
    expect((await get('/p/subscriptions/joined')).json).toMatchObject({ acknowledgedUpTo: null }); // what came before it is not its own
    const { lastHour } = state;
    expect(Date.parse(lastHour.from) % (5 * MINUTE)).toBe(0);
    expect([lastHour.published.length, lastHour.published.reduce((sum, one) => sum + one)]).toEqual([12, 5]);
    expect(lastHour.published.at(-1)).toBe(1);
    const picky = (await get('/p/subscriptions/picky')).json.backlog;
    expect(picky.map(({ messages, exact }) => [messages, exact])).toEqual([
      [1, false],
      [3, false],
      [1, false],
      [0, true],
      [2, false],
    ]);
    expect((await get('/p/subscriptions/none')).status).toBe(404);
  });
});
