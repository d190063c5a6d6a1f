import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { bareAppends, bareReads } from '#test/bench/bare-client.js';
import { install, MESSAGING_TOKEN, type Stores } from '#test/bench/installation.js';
import { CONNECTIONS, httpLoad, type LoadRequest } from '#test/bench/load.js';
import { loop } from '#test/bench/loops.js';
import type { Effort, Lab, Scenario, Side } from '#test/bench/scenario.js';
import type { Child } from '#test/bench/servers/child.js';
import { startReference } from '#test/bench/servers/reference.js';
import type { ReferenceRoute } from '#test/bench/servers/reference-server.js';

const BATCH = 100;
const KIB = 1_024;
const REFERENCE = '/reference/1';
const headers = { 'x-api-key': MESSAGING_TOKEN, 'content-type': 'application/json' };

/** As large as the events of Logbook. */
const EVENT = {
  type: 'MessagePublished',
  data: { projectId: 'x'.repeat(36), publishTime: '2024-01-01T00:00:00.000Z', data: Buffer.alloc((KIB / 4) * 3, 'x').toString('base64') },
};

/** So many messages of 1 KiB in base64. */
export const bodyOf = (messages: number): string =>
  JSON.stringify({ messages: Array.from({ length: messages }, () => ({ data: Buffer.alloc((KIB / 4) * 3, 'x').toString('base64') })) });

/** @throws unless it succeeds */
export const call = async ({ url }: Child, method: string, path: string, body = '{}'): Promise<Response> => {
  const answer = await fetch(url + path, { method, headers, body });
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer;
};

export const post = (path: string, body: string): LoadRequest => ({
  method: 'POST',
  path,
  headers,
  body,
  lateHeader: 'logbook-read-model',
});

/** `path`: of the project. `eventStoreUrl`: where the log is, unless it is embedded. */
type Served = Readonly<{ server: Child; path: string; eventStoreUrl: string | undefined }>;

/** A new server with a project, and topics and subscriptions of the same names. The log may hold projects of earlier scenarios. */
const serve = async (lab: Lab, stores: Stores, names: readonly string[]): Promise<Served> => {
  const installation = await install(lab, stores);
  const server = await installation.serve();
  const project = `bench-${randomUUID()}`;
  const path = `/v1/projects/${project}`;
  await call(server, 'POST', path);
  for (const name of names) {
    await call(server, 'PUT', `${path}/topics/${name}`);
    await call(server, 'PUT', `${path}/subscriptions/${name}`, JSON.stringify({ topic: `projects/${project}/topics/${name}` }));
  }
  return { server, path, eventStoreUrl: installation.eventStoreUrl };
};

const namesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);

const reference = async (lab: Lab, ...routes: ((directory: string) => ReferenceRoute)[]): Promise<Child> => {
  const { directory } = await install(lab, 'embedded');
  return startReference(lab, ...routes.map((route) => route(directory)));
};

/** On a bare route with an LMDB of its own. */
const barePuts = async (lab: Lab, body: string): Promise<Side> => {
  const server = await reference(lab, (directory) => ({ kind: 'durable-messages', directory }));
  return httpLoad(server, lab.effort, () => [post(REFERENCE, body)]);
};

const publishing = (stores: Stores, messages: number, topics: number): Scenario => ({
  name: `${stores}: publish ${messages} x 1 KiB, ${topics === 1 ? 'one topic' : `${topics} topics`}`,
  reference: stores === 'embedded' ? `bare route: ${messages === 1 ? 'durable put' : 'as many durable puts'}` : 'bare client: appends',
  target: { atLeast: stores === 'embedded' ? 0.5 : 0.7 },
  prepare: async (lab) => {
    const { server, path, eventStoreUrl } = await serve(lab, stores, namesOf(topics));
    const body = bodyOf(messages);
    const logbook = httpLoad(server, lab.effort, (connection) => [post(`${path}/topics/n${connection % topics}:publish`, body)]);
    const reference = eventStoreUrl ? bareAppends(lab, eventStoreUrl, EVENT, messages, topics) : await barePuts(lab, body);
    return { logbook, reference };
  },
});

const pulling = (stores: Stores): Scenario => ({
  name: `${stores}: pull ${BATCH} x 1 KiB`,
  reference: stores === 'embedded' ? 'bare route: one range' : 'bare client: reads',
  target: { atLeast: stores === 'embedded' ? 0.5 : 0.7 },
  prepare: async (lab) => {
    const names = namesOf(CONNECTIONS);
    const { server, path, eventStoreUrl } = await serve(lab, stores, names);
    for (const name of names) await call(server, 'POST', `${path}/topics/${name}:publish`, bodyOf(BATCH));
    const pull = JSON.stringify({ maxMessages: `${BATCH}` });
    const answer = await (await call(server, 'POST', `${path}/subscriptions/n0:pull`, pull)).text();
    const logbook = httpLoad(server, lab.effort, (connection) => [post(`${path}/subscriptions/n${connection}:pull`, pull)]);
    if (eventStoreUrl) return { logbook, reference: await bareReads(lab, eventStoreUrl, EVENT, BATCH) };
    const bytes = Math.round(answer.length / BATCH);
    const bare = await reference(lab, (directory) => ({ kind: 'range', directory, count: BATCH, bytes }));
    return { logbook, reference: httpLoad(bare, lab.effort, () => [post(REFERENCE, pull)]) };
  },
});

/** Of the answer to a pull. */
export const ackIdsIn = (answer: string): readonly string[] => {
  const { receivedMessages } = JSON.parse(answer) as Readonly<{ receivedMessages: readonly Readonly<{ ackId: string }>[] }>;
  return receivedMessages.map(({ ackId }) => ackId);
};

/** Messages of the one topic that all subscriptions of `acknowledging` read; at its end they go back to its beginning. */
const BACKLOG = 100 * BATCH;

/**
 * What a client does in turn: pulls messages and acknowledges them. The slice before may have ended between the last pull and its acknowledgement: then the
 * first pull finds all leased.
 */
const pullAndAcknowledge = (subscription: string, pull: string): readonly LoadRequest[] => {
  let ackIds: readonly string[] | undefined;
  const acknowledgement = () => {
    const [, last = `${BACKLOG - 1}`] = /:(\d+)(?:-\d+)?$/.exec(ackIds?.at(-1) ?? '') ?? [];
    return last === `${BACKLOG - 1}`
      ? { path: `${subscription}:modifyOffset`, body: '{"offset":0}' }
      : { body: JSON.stringify({ ackIds }) };
  };
  const accepts = (body: string): boolean => {
    const isFirst = ackIds === undefined;
    ackIds = ackIdsIn(body);
    return ackIds.length === BATCH || (isFirst && ackIds.length === 0);
  };
  return [
    { ...post(`${subscription}:pull`, pull), accepts },
    { ...post(`${subscription}:acknowledge`, ''), vary: acknowledgement },
  ];
};

type AckMode = 'cursor' | 'message';

/** Messages in the topic `n0` of a project, and subscriptions for each connection. Returns what a connection does with its own. */
export const addBacklog = async (server: Child, path: string, ...modes: readonly AckMode[]) => {
  const topic = `${path.slice('/v1/'.length)}/topics/n0`;
  const subscriptionOf = (connection: number, ackMode: AckMode): string => `${path}/subscriptions/${ackMode}${connection}`;
  for (const ackMode of ['cursor', ...modes] as const)
    for (let connection = 0; connection < CONNECTIONS; connection++)
      await call(server, 'PUT', subscriptionOf(connection, ackMode), JSON.stringify({ topic, ackMode }));
  for (let sent = 0; sent < BACKLOG; sent += BATCH) await call(server, 'POST', `${path}/topics/n0:publish`, bodyOf(BATCH));
  const pull = JSON.stringify({ maxMessages: `${BATCH}` });
  return (connection: number, ackMode: AckMode = 'cursor') => pullAndAcknowledge(subscriptionOf(connection, ackMode), pull);
};

const sharing: Scenario = {
  name: `embedded: pull ${BATCH} x 1 KiB and acknowledge each`,
  reference: 'subscriptions with a cursor',
  target: { atLeast: 0.6 },
  prepare: async (lab) => {
    const { server, path } = await serve(lab, 'embedded', ['n0']);
    const requestsOf = await addBacklog(server, path, 'message');
    return {
      logbook: httpLoad(server, lab.effort, (connection) => requestsOf(connection, 'message'), 2),
      reference: httpLoad(server, lab.effort, (connection) => requestsOf(connection), 2),
    };
  },
};

const CONSUMERS = 4;

/** Consumers of one subscription that work on each message for a millisecond. @throws when one gets a message that another one has */
const consuming = (server: Child, subscription: string, effort: Effort, consumers: number): Side => {
  const seen = new Set<string>();
  let passes = 0;
  let rewinding: Promise<unknown> = Promise.resolve();
  return loop(effort, consumers, async () => {
    await rewinding;
    const pass = passes;
    const ackIds = ackIdsIn(await (await call(server, 'POST', `${subscription}:pull`, JSON.stringify({ maxMessages: `${BATCH}` }))).text());
    if (ackIds.length === 0 && pass === passes) {
      passes += 1;
      seen.clear();
      rewinding = call(server, 'POST', `${subscription}:modifyOffset`, '{"offset":0}');
    }
    if (ackIds.length === 0) return;
    for (const ackId of ackIds) {
      const message = ackId.slice(0, ackId.lastIndexOf('-'));
      if (seen.has(message)) throw new Error(`${message} was delivered twice`);
      seen.add(message);
    }
    await sleep(ackIds.length);
    await call(server, 'POST', `${subscription}:acknowledge`, JSON.stringify({ ackIds }));
  });
};

const sharingWork: Scenario = {
  name: `embedded: ${CONSUMERS} consumers share a subscription, 1 ms of work for each message`,
  reference: 'one consumer',
  target: { atLeast: 3 },
  prepare: async (lab) => {
    const { server, path } = await serve(lab, 'embedded', ['n0']);
    const topic = `${path.slice('/v1/'.length)}/topics/n0`;
    const consumed = async (consumers: number): Promise<Side> => {
      const subscription = `${path}/subscriptions/by${consumers}`;
      await call(server, 'PUT', subscription, JSON.stringify({ topic, ackMode: 'message' }));
      return consuming(server, subscription, lab.effort, consumers);
    };
    const [logbook, reference] = [await consumed(CONSUMERS), await consumed(1)];
    for (let sent = 0; sent < 10 * BACKLOG; sent += BATCH) await call(server, 'POST', `${path}/topics/n0:publish`, bodyOf(BATCH));
    return { logbook, reference };
  },
};

/** Subscriptions of one topic that lease its messages. */
const SHARED = 10;

const publishingBeside: Scenario = {
  name: `embedded: publish 1 x 1 KiB beside ${SHARED} subscriptions that lease messages`,
  reference: 'a topic without',
  target: { atLeast: 0.95 },
  prepare: async (lab) => {
    const { server, path } = await serve(lab, 'embedded', ['n0', 'n1']);
    const topic = `${path.slice('/v1/'.length)}/topics/n0`;
    for (let index = 0; index < SHARED; index++)
      await call(server, 'PUT', `${path}/subscriptions/shared${index}`, JSON.stringify({ topic, ackMode: 'message' }));
    await call(server, 'POST', `${path}/topics/n0:publish`, bodyOf(BATCH));
    for (let index = 0; index < SHARED; index++)
      await call(server, 'POST', `${path}/subscriptions/shared${index}:pull`, JSON.stringify({ maxMessages: `${BATCH}` }));
    const publish = (name: string) => httpLoad(server, lab.effort, () => [post(`${path}/topics/${name}:publish`, bodyOf(1))]);
    return { logbook: publish('n0'), reference: publish('n1') };
  },
};

const acknowledging: Scenario = {
  name: `embedded: pull ${BATCH} x 1 KiB and acknowledge`,
  reference: 'bare routes: one range, one durable put of the ids',
  prepare: async (lab) => {
    const { server, path } = await serve(lab, 'embedded', ['n0']);
    const requestsOf = await addBacklog(server, path);
    const pull = JSON.stringify({ maxMessages: `${BATCH}` });
    const answer = await (await call(server, 'POST', `${path}/subscriptions/n0:pull`, pull)).text();
    const ackIds = ackIdsIn(answer);
    const bare = await reference(
      lab,
      (directory) => ({ kind: 'range', directory, count: BATCH, bytes: Math.round(answer.length / BATCH) }),
      (directory) => ({ kind: 'durable-put', directory }),
    );
    const put = (connection: number): LoadRequest => ({
      ...post(`/reference/${connection}`, JSON.stringify({ ackIds })),
      method: 'PUT',
    });
    return {
      logbook: httpLoad(server, lab.effort, (connection) => requestsOf(connection), 2),
      reference: httpLoad(bare, lab.effort, (connection) => [post(REFERENCE, pull), put(connection)], 2),
    };
  },
};

/** Each of 64 clients publishes a message, pulls it and acknowledges it. */
const cycles = ({ server, path }: Served): ((client: number) => Promise<void>) => {
  const body = bodyOf(1);
  return async (client) => {
    const subscription = `${path}/subscriptions/n${client}`;
    await call(server, 'POST', `${path}/topics/n${client}:publish`, body);
    const ackIds = ackIdsIn(await (await call(server, 'POST', `${subscription}:pull`)).text());
    if (ackIds.length !== 1) throw new Error(`${subscription}: ${ackIds.length} messages instead of one`);
    await call(server, 'POST', `${subscription}:acknowledge`, JSON.stringify({ ackIds }));
  };
};

const cycling = (stores: Stores): Scenario => ({
  name: `${stores}: publish, pull, acknowledge`,
  reference: 'bare route: durable put, three times',
  prepare: async (lab) => {
    const served = await serve(lab, stores, namesOf(CONNECTIONS));
    const bare = await reference(lab, (directory) => ({ kind: 'durable-messages', directory }));
    const body = bodyOf(1);
    const putThrice = async (): Promise<void> => {
      for (let request = 0; request < 3; request++) await call(bare, 'POST', REFERENCE, body);
    };
    return { logbook: loop(lab.effort, CONNECTIONS, cycles(served)), reference: loop(lab.effort, CONNECTIONS, putThrice) };
  },
});

export const messagingTraffic: readonly Scenario[] = (['embedded', 'distributed'] as const).flatMap((stores) => [
  ...(stores === 'embedded' ? [sharing, sharingWork, publishingBeside] : []),
  publishing(stores, 1, CONNECTIONS),
  publishing(stores, 1, 1),
  publishing(stores, BATCH, CONNECTIONS),
  publishing(stores, BATCH, 1),
  pulling(stores),
  cycling(stores),
]);

/** Measured by the profile alone: a pull beside what follows every pull. */
export const acknowledgements: readonly Scenario[] = [acknowledging];
