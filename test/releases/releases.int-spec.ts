import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { projections } from '#api/runtime/vocabulary.js';
import { withHosts } from '#domain/status/metric-data/earlier-releases.js';
import { documentsOf } from '#test/support/as-of/documents.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { type Deployment, embedded, OPERATOR } from '#test/support/deployments.js';
import { expectAllInStreams } from '#test/support/projections/streams-of-needed.js';
import { answersOf, digestOf, pastOf, RELEASES, RETENTION_OF_RELEASES, type RecordedAnswer, unpackData } from '#test/support/releases.js';
import { isFullRun, SEED } from '#test/support/test-runs.js';

/** The address that the recorded answers name. */
const ADDRESS = 'http://127.0.0.1:8080';

/** What the program says of itself. */
const VERSION = '/accounting-system/admin/version';

/** Answers that have members which the releases did not know: capacities of installations, `info` of endpoints, what becomes of messages and notifications, when an anchor was signed. */
const GROWN = [
  /^\/audit\/anchors$/,
  /^\/accounting-system\/.*installations/,
  /^\/audit\/resources\/accounting\/installation\//,
  /^\/api\/v5\/status\//,
  /^\/api\/v2\/admin\/tenants\/[^/]+\/(metric-source|status-notifications)$/,
];

/** A value without the members that another one does not have. */
const asIn = (other: unknown, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one, index) => asIn(Array.isArray(other) ? other[index] : undefined, one));
  if (typeof value !== 'object' || value === null || typeof other !== 'object' || other === null) return value;
  const known = other as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (name in known ? [[name, asIn(known[name], one)]] : [])));
};

/** Answers with events, which the readable form shows in their current shape. */
const EVENTS = /^\/audit\/(events|streams)(\/|$)/;

/** An answer with events of `MetricResultsRecorded` in version 2. */
const inCurrentShape = (recorded: string): unknown =>
  JSON.parse(recorded, (_, value) => (value?.type === 'MetricResultsRecorded' ? { ...value, data: withHosts(value.data) } : value));

/** How an answer is compared: as text, or as JSON where members may have been added. */
const compared = (path: string, recorded: string, text: string): readonly [expected: unknown, found: unknown] => {
  if (path === VERSION) return ['', ''];
  if (text === recorded) return [recorded, text];
  if (EVENTS.test(path)) return [inCurrentShape(recorded), JSON.parse(text)];
  if (!GROWN.some((pattern) => pattern.test(path))) return [recorded, text];
  const expected: unknown = JSON.parse(recorded);
  return [expected, asIn(expected, JSON.parse(text))];
};

const isAudit = ({ path }: RecordedAnswer): boolean => path.startsWith('/audit');
const isPull = ({ method, path }: RecordedAnswer): boolean => method === 'POST' && path.endsWith(':pull');

/** In a full run all of them, otherwise others each day. */
const some = (answers: readonly RecordedAnswer[]): readonly RecordedAnswer[] =>
  isFullRun ? answers : answers.filter((_, index) => index % 8 === SEED % 8);

/** A server on the data of a release for the suite it is called in. @param lost files and folders that are gone */
const servingData = (release: string, ...lost: readonly string[]) => {
  const { clock, answers } = answersOf(release);
  let deployment: Deployment;
  let lab: PastLab;
  beforeAll(async () => {
    const begun = performance.now();
    // The log reads and sweeps by the age of events: they are as old as they were for the release.
    jest.spyOn(Date, 'now').mockImplementation(() => Math.floor(Date.parse(clock) + performance.now() - begun));
    deployment = await embedded();
    await unpackData(release, deployment.dataDirectory);
    for (const name of lost) await rm(join(deployment.dataDirectory, name), { recursive: true });
    lab = await openPastLab(deployment, RETENTION_OF_RELEASES);
    await lab.settled();
    lab.advance(Date.parse(clock) - lab.runtime.clock());
    expect(await lab.runtime.audit.index.reached(await lab.runtime.eventStore.end(), 60_000)).toBe(true);
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  const expectSame = async (recorded: readonly RecordedAnswer[]): Promise<void> => {
    expect(recorded.length).toBeGreaterThan(0);
    const different: unknown[] = [];
    for (const { method, path, headers, body, asOf, status, text } of recorded) {
      const moment = asOf === undefined ? headers : { ...headers, 'logbook-as-of': asOf };
      const now = await lab.http.call(method, path, { headers: moment, ...(body !== undefined && { body }) });
      const [expected, found] = compared(path.split('?')[0] ?? '', text, now.text.replaceAll(lab.url, ADDRESS));
      if (now.status !== status || !isDeepStrictEqual(found, expected))
        different.push({ method, path, asOf, was: [status, expected], is: [now.status, found] });
    }
    expect(different).toEqual([]);
  };
  return { answers, expectSame, lab: () => lab };
};

describe('a server on the data of 1.0.0 without the audit index', () => {
  const { answers, expectSame } = servingData('1.0.0', 'audit/index');

  it('answers /audit as the release did', () => expectSame(answers.filter(isAudit)));
});

describe.each(RELEASES)('a server on the data of %s', (release) => {
  const { answers, expectSame, lab } = servingData(release);

  it('answers reads of now as the release did', () =>
    expectSame(answers.filter((answer) => answer.asOf === undefined && !isPull(answer) && !isAudit(answer))));

  it('answers /audit as the release did', () => expectSame(answers.filter(isAudit)));

  it('answers reads as of the past as the release did', () => expectSame(some(answers.filter(({ asOf }) => asOf !== undefined))));

  it('shows every document as of the past as it was read before', async () => {
    const { versions, texts, digests } = pastOf(release);
    const same = projections.filter(({ name, version }) => versions[name] === version);
    expect(same.length).toBeGreaterThan(0);
    const { past } = lab().runtime;
    if (!past) throw new Error('there is no history');
    const different: unknown[] = [];
    for (const projection of same) {
      const known = Object.values(texts).flatMap((all) => Object.keys(all[projection.name] ?? {}));
      const at = (position: string) => documentsOf(past.history.view(projection.name, BigInt(position)), [...new Set(known)].sort());
      for (const [position, all] of Object.entries(texts)) expect([position, await at(position)]).toEqual([position, all[projection.name]]);
      for (const [position, all] of Object.entries(digests))
        if (digestOf(await at(position)) !== all[projection.name]) different.push([projection.name, position]);
    }
    expect(different).toEqual([]);
  });

  it('finds all events of the read models that are filled first in their streams', () => expectAllInStreams(lab().runtime.eventStore));

  it('shows the pages of the messaging service, with all dead letters', async () => {
    const headers = { 'x-api-key': OPERATOR };
    const read = async (path: string) => {
      const { status, json } = await lab().http.get(`/ops/messaging${path}`, { headers });
      expect([path, status]).toEqual([path, 200]);
      return json as Readonly<Record<'items' | 'topics' | 'subscriptions', readonly Readonly<{ name: string; from: string | null }>[]>>;
    };
    for (const { name } of (await read('')).items) {
      const project = encodeURIComponent(name);
      const { topics, subscriptions } = await read(`/${project}`);
      const places = [...topics.map((one) => `topics/${one.name}`), ...subscriptions.map((one) => `subscriptions/${one.name}`)];
      for (const place of places) {
        await read(`/${project}/${place}`);
        for (const { from } of (await read(`/${project}/${place}/dead-letters`)).items)
          expect([null, expect.any(String)]).toContainEqual(from);
      }
    }
  });

  it('delivers the messages that the release would have delivered', () => expectSame(answers.filter(isPull)));
});
