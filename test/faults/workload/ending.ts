import type { Answer, Call, Delivered, FinalState, Named, Operation, Told } from '#test/faults/history.js';
import { OPERATOR } from '#test/support/deployments.js';
import { BASE, BASE_PROVIDER, PROJECT, READ_HEADERS } from './accounting.js';
import { type Address, pause } from './client.js';
import { acknowledge, listTopics, pull, TOPICS } from './messaging.js';
import { listReports, pointsOf } from './metric-data.js';
import { pastLooks } from './past.js';
import { DEADLINE_MS, insist, NeverCame } from './setting.js';
import { DAYS, listOfDay, listWeights } from './status.js';

const OPS = { 'x-api-key': OPERATOR };
const PAGE = 100;

/** Waits until each node says that it can take traffic. @throws with the name of the first that does not within a minute */
export const untilReady = async (addresses: readonly Address[]): Promise<void> => {
  await Promise.all(addresses.map((address) => insist(address, { method: 'GET', path: '/health', headers: {} }, () => undefined)));
};

type Observed = Readonly<{ operation: Operation; told: Told }>;

/** As calls of an observer, after everything else. */
const asCalls = (node: string, observed: readonly Observed[]): readonly Call[] =>
  observed.map(({ operation, told }, index) => {
    const now = performance.now();
    const answer: Answer = { outcome: 'done', status: 200, behind: false, retryAfter: false, told, text: '' };
    return { id: -1 - index, intent: `end-${node}-${index}`, client: 'observer', node, began: now, ended: now, operation, answer };
  });

type Row = Readonly<Record<string, unknown>>;

const allPages = async (address: Address, path: string): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const request = { method: 'GET', path: `${BASE}${path}?page=${page}&size=${PAGE}`, headers: READ_HEADERS } as const;
    const content = await insist(address, request, (json) => (json as { content: readonly Row[] }).content);
    rows.push(...content);
    if (content.length < PAGE) return rows;
  }
};

/** The lists of accounting: where they are, and what of each row is reference and name. */
const LISTS: readonly (readonly [scope: string, path: string, entry: (row: Row) => Named | undefined])[] = [
  ['units', '/unit-types', (row) => (row.creator_id === '' ? undefined : { record: `unit:${row.id}`, name: `${row.unit_type}` })],
  [
    'definitions',
    '/metric-definitions',
    (row) => ({ record: `definition:${row.metric_definition_id}`, name: `${row.unit_type}/${row.metric_name}` }),
  ],
  [
    'installations',
    `/projects/${PROJECT}/installations`,
    (row) => ({ record: `installation:${row.id}`, name: `${row.organisation}/${row.installation}` }),
  ],
  ['metrics', `/projects/${PROJECT}/metrics`, (row) => ({ record: `metric:${row.id}`, name: `${row.group_id}` })],
  ['providers', '/providers', (row) => (row.id === BASE_PROVIDER ? undefined : { record: `provider:${row.id}`, name: `${row.id}` })],
];

const associations = async (address: Address): Promise<Observed> => {
  const request = { method: 'GET', path: `${BASE}/projects/${PROJECT}`, headers: READ_HEADERS } as const;
  const providers = await insist(address, request, (json) => (json as { providers: readonly Row[] }).providers);
  const entries = providers.filter(({ id }) => id !== BASE_PROVIDER).map(({ id }) => ({ record: `association:${id}`, name: `${id}` }));
  return { operation: { kind: 'list', scope: 'associations' }, told: { entries } };
};

/** Points as often as they are stored. */
const allPoints = async (address: Address): Promise<Observed> => {
  const reports = await insist(address, listReports.request, (json) => listReports.read?.(json).entries ?? []);
  const points: string[] = [];
  for (const { requests, pointsIn } of reports.map(({ name }) => pointsOf(name)))
    for (const request of requests) points.push(...(await insist(address, request, pointsIn)));
  return { operation: { kind: 'points' }, told: { points } };
};

/** Everything that a node shows of what the clients did. */
const observe = async (address: Address): Promise<readonly Call[]> => {
  const observed: Observed[] = [];
  for (const task of [listWeights, listReports, listTopics])
    observed.push({ operation: task.operation, told: await insist(address, task.request, (json) => task.read?.(json) ?? {}) });
  for (const [scope, path, entry] of LISTS) {
    const entries = (await allPages(address, path)).flatMap((row) => entry(row) ?? []);
    observed.push({ operation: { kind: 'list', scope }, told: { entries } });
  }
  observed.push(await associations(address), await allPoints(address));
  for (const day of DAYS) {
    const { request, valuesIn } = listOfDay(day);
    for (const [register, value] of await insist(address, request, valuesIn))
      observed.push({ operation: { kind: 'get', register, record: register.split(' ')[0] ?? '' }, told: { value } });
  }
  return asCalls(address.node, observed);
};

export const readerOf = (topic: string): string => `reader-of-${topic}`;

/** All messages of a topic, through a subscription that was made before the first one. */
const readTopic = async (address: Address, topic: string): Promise<readonly Delivered[]> => {
  const messages: Delivered[] = [];
  for (;;) {
    const { request, read } = pull(readerOf(topic), topic, 1_000);
    const found = await insist(address, request, (json) => read?.(json).messages ?? []);
    messages.push(...found);
    const last = found.at(-1);
    if (!last) return messages;
    await insist(address, acknowledge(readerOf(topic), last.offset).request, () => undefined);
  }
};

type Job = Readonly<{ state: string; equal?: boolean; intact?: boolean; differences?: unknown; problem?: unknown; failure?: unknown }>;

/** Begun at one node, which has the role for it; asked for at another one. */
const jobDone = async (at: Address, asked: Address, path: string, body?: unknown): Promise<Job> => {
  const href = await insist(at, { method: 'POST', path, headers: OPS, body }, (json) => (json as { href: string }).href);
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const job = await insist(asked, { method: 'GET', path: href, headers: OPS }, (json) => json as Job);
    if (job.state !== 'running') return job;
    if (performance.now() > deadline) throw new NeverCame(`${asked.node}: ${path} is still running: ${JSON.stringify(job)}`);
    await pause(50);
  }
};

const verifyAll = async (address: Address, projector: Address): Promise<FinalState['verifications']> => {
  const names = await insist(address, { method: 'GET', path: '/ops/projections', headers: OPS }, (json) =>
    (json as { items: readonly Readonly<{ name: string }>[] }).items.map(({ name }) => name),
  );
  const verifications: FinalState['verifications'][number][] = [];
  for (const projection of names) {
    const job = await jobDone(projector, address, `/ops/projections/${projection}/verify`);
    verifications.push({ projection, equal: job.equal === true, detail: JSON.stringify(job) });
  }
  return verifications;
};

/**
 * What is there in the end, by nodes that answer clients, and one with the other roles. All faults are over, and nobody writes. What never comes is
 * said, not thrown. @param done all calls of the clients
 */
export const finalState = async (
  addresses: readonly Address[],
  auditor: Address,
  done: readonly Call[],
  ended: () => readonly string[],
): Promise<FinalState> => {
  const nothing = { calls: [], topics: {}, past: [], verifications: [], chain: { intact: true, detail: '' } };
  try {
    return { ...nothing, ...(await observeAll(addresses, auditor, done)), ended: ended(), stuck: [] };
  } catch (error) {
    if (!(error instanceof NeverCame)) throw error;
    return { ...nothing, ended: ended(), stuck: [error.message] };
  }
};

const observeAll = async (
  addresses: readonly Address[],
  auditor: Address,
  done: readonly Call[],
): Promise<Omit<FinalState, 'ended' | 'stuck'>> => {
  const [first] = addresses as readonly [Address];
  await untilReady([...addresses, auditor]);
  const calls = await Promise.all(addresses.map(observe));
  const topics = Object.fromEntries(await Promise.all(TOPICS.map(async (topic) => [topic, await readTopic(first, topic)] as const)));
  const past = await pastLooks(auditor, done);
  const verifications = await verifyAll(first, auditor);
  const audit = await jobDone(auditor, auditor, '/audit/verifications', {});
  return { calls: calls.flat(), topics, past, verifications, chain: { intact: audit.intact === true, detail: JSON.stringify(audit) } };
};
