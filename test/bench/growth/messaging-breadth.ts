import { setTimeout as sleep } from 'node:timers/promises';
import { MESSAGING_TOKEN } from '#test/bench/installation.js';
import { bodyOf } from '#test/bench/scenarios/messaging-traffic.js';
import { startPushReceiver } from '#test/support/messaging/push-receiver.js';
import type { Breadth, Call, Wide } from './breadth.js';

const headers = { 'x-api-key': MESSAGING_TOKEN, 'content-type': 'application/json' };
export const operator = { 'x-api-key': 'bench-ops', 'content-type': 'application/json' };
const PROJECT = '/v1/projects/wide';
const AT_A_TIME = 64;
/** Until all pulls wait. */
const WAIT_MS = 10_000;

const range = <Item>(count: number, item: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => item(index));

const get = (path: string): Call => ({ path, headers });
const post = (path: string, body: object | string = {}): Call => ({
  ...{ method: 'POST', path, headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const put = (path: string, body: object = {}): Call => ({ method: 'PUT', path, headers, body: JSON.stringify(body) });

const subscription = (index: number, more: object = {}): Call =>
  put(`${PROJECT}/subscriptions/s${index}`, { topic: 'projects/wide/topics/t', ackDeadlineSeconds: 600, ...more });

const acknowledgement = (index: number, offset: number): Call =>
  post(`${PROJECT}/subscriptions/s${index}:acknowledge`, { ackIds: [`projects/wide/subscriptions/s${index}:${offset}`] });

/** One topic with so many subscriptions, each of which gets each message. */
const addSubscriptions = async (wide: Breadth, count: number): Promise<void> => {
  await wide.call('create a project', 1, () => post(PROJECT));
  await wide.call('create a topic', 1, () => put(`${PROJECT}/topics/t`));
  await wide.call('create a subscription', count, (index) => subscription(index), AT_A_TIME);
};

/** The token of the last page of a list. */
const lastPage = async (wide: Breadth, path: string, size: number): Promise<string> => {
  let token = '';
  for (;;) {
    const answer = await fetch(`${wide.server.url}${path}?pageSize=${size}&pageToken=${token}`, { headers });
    const { nextPageToken } = (await answer.json()) as Readonly<{ nextPageToken: string }>;
    if (nextPageToken === '') return `${path}?pageSize=${size}&pageToken=${token}`;
    token = nextPageToken;
  }
};

const lists = async (wide: Breadth, path: string, things: string): Promise<void> => {
  await wide.call(`all ${things} of the project`, 3, () => get(path));
  await wide.call(`first page of 100 ${things}`, 10, () => get(`${path}?pageSize=100`));
  const last = await lastPage(wide, path, 100);
  await wide.call(`last page of 100 ${things}`, 10, () => get(last));
};

const consoles = async (wide: Breadth): Promise<void> => {
  await wide.call('console: page of the project', 3, () => ({ path: '/ops/messaging/wide?limit=100', headers: operator }));
  await wide.call('console: overview, first event', 1, () => ({ path: '/console/live', headers: operator, until: 'data: ' }));
  await wide.call('/metrics', 5, () => ({ path: '/metrics', headers: operator }));
};

/** Pulls wait for a message that all of them then get. */
const waitingPulls = async (wide: Breadth, count: number): Promise<void> => {
  const asked = (path: string, body: string) => fetch(`${wide.server.url}${PROJECT}/${path}`, { method: 'POST', headers, body });
  await wide.work(`${count.toLocaleString('en')} pulls that wait ${WAIT_MS / 1_000} s for a message`, async () => {
    const pulls = range(count, (index) => asked(`subscriptions/s${index}:pull`, '{"maxMessages":"1","returnImmediately":"false"}'));
    await sleep(WAIT_MS);
    for (const answer of await Promise.all([...pulls, asked('topics/t:publish', bodyOf(1))]))
      if (!answer.ok) throw new Error(await answer.text());
  });
};

/** Each subscription pulls and acknowledges one message. */
const consume = async (wide: Breadth, count: number): Promise<void> => {
  const pull = (index: number) => post(`${PROJECT}/subscriptions/s${index}:pull`, { maxMessages: '1', returnImmediately: 'true' });
  await wide.call('pull a message, by each subscription', count, pull, AT_A_TIME);
  await wide.call('acknowledge it, by each subscription', count, (index) => acknowledgement(index, 0), AT_A_TIME);
};

export const subscriptions = (count: number): Wide => ({
  name: `${count.toLocaleString('en')} subscriptions of a topic`,
  make: (wide) => addSubscriptions(wide, count),
  use: async (wide) => {
    await waitingPulls(wide, Math.min(count, 1_000));
    await lists(wide, `${PROJECT}/subscriptions`, 'subscriptions');
    await wide.call('subscriptions of the topic', 3, () => get(`${PROJECT}/topics/t/subscriptions`));
    await wide.call('one subscription', 100, (index) => get(`${PROJECT}/subscriptions/s${index}`));
    await wide.call('publish to all of them', 100, () => post(`${PROJECT}/topics/t:publish`, bodyOf(1)));
    await consoles(wide);
    await consume(wide, count);
    await wide.atRest('the same, after all have pulled');
    await consoles(wide);
  },
});

/** Reads streams of all subscriptions. `received`: messages so far. */
const openStreams = async (wide: Breadth, count: number) => {
  const ended = new AbortController();
  const streams = { received: 0, close: () => ended.abort() };
  const open = async (index: number): Promise<void> => {
    const answer = await fetch(`${wide.server.url}${PROJECT}/subscriptions/s${index}:stream`, { headers, signal: ended.signal });
    if (answer.status !== 200 || !answer.body) throw new Error(`a stream answered ${answer.status}`);
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of answer.body ?? [])
        streams.received += decoder.decode(chunk, { stream: true }).split('event: message').length - 1;
    })().catch(() => undefined); // when closed
  };
  await wide.work(`open ${count.toLocaleString('en')} streams`, async () => {
    for (let first = 0; first < count; first += AT_A_TIME)
      await Promise.all(range(Math.min(AT_A_TIME, count - first), (offset) => open(first + offset)));
  });
  return streams;
};

const PATIENCE_MS = 120_000;

const until = async (isSo: () => boolean, what: string): Promise<void> => {
  for (const end = performance.now() + PATIENCE_MS; !isSo(); await sleep(1))
    if (performance.now() > end) throw new Error(`after ${PATIENCE_MS} ms: ${what}`);
};

export const streams = (count: number): Wide => ({
  name: `${count.toLocaleString('en')} subscriptions, each with a stream`,
  make: (wide) => addSubscriptions(wide, count),
  use: async (wide) => {
    const open = await openStreams(wide, count);
    try {
      await wide.atRest(`${count.toLocaleString('en')} open streams`);
      for (const messages of [1, 100]) {
        const expected = open.received + count * messages;
        const call = post(`${PROJECT}/topics/t:publish`, bodyOf(messages));
        await wide.work(`publish ${messages} x 1 KiB, until ${count.toLocaleString('en')} streams have it`, async () => {
          const answer = await fetch(wide.server.url + call.path, { ...call, method: 'POST', body: call.body ?? '' });
          if (!answer.ok) throw new Error(await answer.text());
          await until(() => open.received >= expected, `${open.received} of ${expected} messages`);
        });
        const last = messages === 1 ? 0 : 100;
        await wide.call('acknowledge it, by each', count, (index) => acknowledgement(index, last), AT_A_TIME);
      }
      await wide.atRest('the same, after each has received 101 KiB');
    } finally {
      open.close();
    }
  },
});

const PROJECTS = 10;

export const topics = (count: number): Wide => ({
  name: `${count.toLocaleString('en')} topics in ${PROJECTS} projects`,
  make: async (wide) => {
    const project = (index: number): string => (index === PROJECTS - 1 ? PROJECT : `/v1/projects/wide${index}`);
    await wide.call('create a project', PROJECTS, (index) => post(project(index)));
    const topic = (index: number) => put(`${project(index % PROJECTS)}/topics/t${Math.floor(index / PROJECTS)}`);
    await wide.call('create a topic', count, topic, AT_A_TIME);
  },
  use: async (wide) => {
    await lists(wide, `${PROJECT}/topics`, 'topics');
    await wide.call('one topic', 100, (index) => get(`${PROJECT}/topics/t${index}`));
    await wide.call('metrics of a topic', 10, (index) => get(`${PROJECT}/topics/t${index}:metrics`));
    await wide.call('publish a first message', 100, (index) => post(`${PROJECT}/topics/t${index}:publish`, bodyOf(1)));
    await wide.call('projects', 3, () => get('/v1/projects'));
    await wide.call('/v1/metrics', 3, () => get('/v1/metrics'));
    await wide.call('a name of them', 5, (index) => ({ path: `/ops/places?text=t${index}77`, headers: operator }));
    await consoles(wide);
  },
});

export const pushed = (count: number): Wide => ({
  name: `${count.toLocaleString('en')} push subscriptions`,
  environment: { LOGBOOK_PUSH_ALLOW_PRIVATE: 'true' },
  make: async (wide) => {
    await wide.call('create a project', 1, () => post(PROJECT));
    await wide.call('create a topic', 1, () => put(`${PROJECT}/topics/t`));
  },
  use: async (wide) => {
    const receiver = await startPushReceiver();
    try {
      const pushConfig = { type: 'mattermost', mattermostUrl: receiver.url, retryPolicy: { type: 'linear', period: 3_000 } };
      await wide.call('create a push subscription', count, (index) => subscription(index, { pushConfig }), AT_A_TIME);
      await wide.atRest(`${count.toLocaleString('en')} push subscriptions`);
      for (const round of [1, 2]) {
        const expected = receiver.deliveries.length + count;
        await wide.work(`publish ${round === 1 ? 'a message' : 'another'}, until it is pushed by all`, async () => {
          await fetch(`${wide.server.url}${PROJECT}/topics/t:publish`, { method: 'POST', headers, body: bodyOf(1) });
          await until(() => receiver.deliveries.length >= expected, `${receiver.deliveries.length} of ${expected} pushes`);
        });
      }
    } finally {
      await receiver.close();
    }
  },
});
