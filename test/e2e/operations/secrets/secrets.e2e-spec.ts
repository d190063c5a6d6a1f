import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import { erasedSubjectsIn } from '#infra/engine/erasure/apply-erasures.js';
import { loadMasterKey } from '#infra/stores/secrets/master-key.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { accountingServing } from '#test/e2e/accounting/serving.js';
import { deployments, dropReadModels, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { openLogOf } from '#test/support/plant.js';
import type { Planted } from '#test/support/secrets/calls.js';
import { plantSecrets } from '#test/support/secrets/journey.js';
import { Markers } from '#test/support/secrets/markers.js';
import { mistakesWith } from '#test/support/secrets/mistakes.js';
import { bytesOfFiles, bytesOfRedis } from '#test/support/secrets/stored-bytes.js';
import { httpClient } from '#test/support/status-client.js';

describe.each(deployments)('secrets and personal data on %s', (_, open) => {
  const scene = accountingServing(open, { LOGBOOK_ACCESS_LOG: 'true', LOGBOOK_LOG_LEVEL: 'debug', LOGBOOK_ROLES: 'api,projector,push' });

  const withLog = async <T>(use: (log: EventStore) => Promise<T>, readOnly = true): Promise<T> => {
    const log = await openLogOf(scene.deployment, readOnly);
    try {
      return await use(log);
    } finally {
      await log.close();
    }
  };
  /** The events as text, where the log is no file of the data directory. */
  const bytesOfLog = (): Promise<Buffer> =>
    withLog(async (log) => {
      const texts: string[] = [];
      for (let after = 0n; ; ) {
        const { events, position, caughtUp } = await log.readAll({ after, limit: 500 });
        texts.push(...events.map(({ stream, id, type, metadata, data }) => JSON.stringify({ stream, id, type, metadata, data })));
        if (caughtUp) return Buffer.from(texts.join('\n'));
        after = position;
      }
    });
  const everythingStored = async (): Promise<Buffer> => {
    const { environment, dataDirectory } = scene.deployment;
    const parts = [await bytesOfFiles(dataDirectory)];
    if (environment.EVENTSTORE_URL) parts.push(await bytesOfLog());
    if (environment.REDIS_URL) parts.push(await bytesOfRedis(environment.REDIS_URL, environment.LOGBOOK_REDIS_PREFIX ?? ''));
    return Buffer.concat(parts);
  };

  let planted: Planted | undefined;
  const answersOf = ({ shown }: Planted): Promise<readonly Readonly<{ status: number; text: string }>[]> =>
    Promise.all(
      shown.map(async ([headers, path]) => {
        const { status, text } = await httpClient(scene.server.url).get(path, { headers });
        return { status, text };
      }),
    );
  const restartWithoutReadModels = async (): Promise<void> => {
    await scene.restart(() => dropReadModels(scene.deployment));
  };

  it('are never stored in plain text: neither created, revised, deleted, nor built again', async () => {
    const markers = new Markers();
    planted = await plantSecrets(scene.server.url, scene.issuer, markers);
    const { shown, remove, forgotten, kept } = planted;
    for (const [index, { text }] of (await answersOf(planted)).entries())
      expect([shown[index], markers.tracesIn(Buffer.from(text))]).not.toEqual([shown[index], []]);

    const stored = await everythingStored();
    for (const visible of ['staying-lab', 'open.example.org', 'SITE-A'])
      expect([visible, stored.includes(visible)]).toEqual([visible, true]);
    expect(markers.tracesIn(stored)).toEqual([]);

    await remove();
    expect(markers.tracesIn(await everythingStored())).toEqual([]);
    const isForgotten = (subject: string) =>
      withLog(
        async (log) =>
          (await log.readStream(`keys.subject-${subject}`, { limit: 10 })).map(({ type }) => type).join() === 'SubjectKeyDestroyed',
      );
    for (const subject of forgotten) await eventually(() => isForgotten(subject)).until(Boolean);
    for (const subject of kept) expect([subject, await isForgotten(subject)]).toEqual([subject, false]);
    const after = await answersOf(planted);
    await restartWithoutReadModels();
    expect(await answersOf(planted)).toEqual(after);
    expect(markers.tracesIn(await everythingStored())).toEqual([]);
    const { lines } = scene.server;
    await scene.restart(); // after which all lines are there
    expect(markers.tracesIn(Buffer.from(lines.join('\n')))).toEqual([]);
  });

  it('are in no answer to a call that is refused, nor in the log lines about it', async () => {
    const markers = new Markers();
    for (const [method, path, call] of mistakesWith(markers)) {
      const { status, text } = await scene.root.call(method, path, call);
      expect([method, path, status >= 300 && status < 500, markers.tracesIn(Buffer.from(text))]).toEqual([method, path, true, []]);
    }
    const metrics = await scene.root.get('/metrics', { accept: '*/*' });
    expect([metrics.status, markers.tracesIn(Buffer.from(metrics.text))]).toEqual([200, []]);
    const { lines } = scene.server;
    await scene.restart(); // after which all lines are there
    expect(lines.length).toBeGreaterThan(30);
    expect(markers.tracesIn(Buffer.from(lines.join('\n')))).toEqual([]);
    expect(markers.tracesIn(await everythingStored())).toEqual([]);
  });

  const ops = { 'x-api-key': OPERATOR };
  const erase = (service: string, kind: string, id: string) =>
    scene.root.post('/ops/erasures', { headers: ops, body: { service, kind, id, reason: 'asked for' } });
  /** Subjects that have keys. */
  const subjects = () =>
    withLog(async (log) => {
      const { events } = await log.readAll({ categories: ['keys.subject'], limit: 1_000 });
      const gone = new Set(events.flatMap(({ type, data }) => (type === 'SubjectKeyDestroyed' ? [data.subject] : [])));
      return events.flatMap(({ type, data }) => (type === 'SubjectKeyCreated' && !gone.has(data.subject) ? [String(data.subject)] : []));
    });
  const KINDS: Readonly<Record<string, readonly (readonly [service: string, kind: string])[]>> = {
    user: [
      ['messaging', 'user'],
      ['status', 'user'],
    ],
    registration: [['messaging', 'registration']],
    subscription: [['messaging', 'subscription']],
    client: [['accounting', 'client']],
    'oidc-tenant': [['accounting', 'oidc_tenant']],
    tenant: [['status', 'tenant']],
    recomputation: [['status', 'recomputation']],
  };
  const hrefsOf = async (subject: string): Promise<readonly unknown[]> => {
    const [, prefix = '', id = ''] = /^(oidc-tenant|[a-z]+)-(.+)$/.exec(subject) ?? [];
    const answers = await Promise.all((KINDS[prefix] ?? []).map(([service, kind]) => erase(service, kind, id)));
    expect([subject, answers.filter(({ status }) => status !== 404).map(({ status }) => status)]).toEqual([subject, [202]]);
    return answers.flatMap(({ status, json }) => (status === 202 ? [(json as { href: string }).href] : []));
  };
  const wholeList = async (): Promise<string> =>
    (await fetch(`${scene.server.url}/ops/erasures`, { headers: { ...ops, accept: 'application/x-ndjson' } })).text();
  const stateOf = async (href: string): Promise<unknown> =>
    ((await scene.root.get(href, { headers: ops })).json as { state: string }).state;

  it('read as empty once they are erased, and credentials are refused, before and after read models are built again', async () => {
    if (!planted) throw new Error('nothing was planted');
    const all = await subjects();
    const [erasable, others] = [
      all.filter((one) => !one.startsWith('installation-')),
      all.filter((one) => one.startsWith('installation-')),
    ];
    const hrefs: unknown[] = [];
    for (const subject of erasable) hrefs.push(...(await hrefsOf(subject)));
    const destroyOthers = async (store: EventStore): Promise<void> => {
      const masterKey = await loadMasterKey({ directory: join(scene.deployment.dataDirectory, 'keys') });
      const keys = await SubjectKeys.open({ store, masterKey });
      for (const subject of others) await keys.destroy(subject);
    };
    await scene.changeLog(() => withLog(destroyOthers, false));
    for (const href of hrefs) await eventually(() => stateOf(String(href))).until((state) => state === 'done');
    const erased = await answersOf(planted);
    const admitted = erased.map(({ status, text }) => [status, new Markers().tracesIn(Buffer.from(text))]);
    expect(admitted).toEqual(planted.shown.map(([caller]) => [JSON.stringify(caller).includes('Zq7x') ? 401 : 200, []]));

    const again = await hrefsOf(erasable[0] ?? '');
    expect([again, await stateOf(String(again[0]))]).toEqual([[hrefs[0]], 'done']);
    const listed = await wholeList();
    const items = listed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const everyOne = [...planted.forgotten, ...erasable];
    const ids = everyOne.map((subject) => subject.replace(/^(oidc-tenant|(?!installation)[a-z]+)-/, ''));
    expect(items.map(({ subject }) => subject)).toEqual(expect.arrayContaining(ids));
    expect(erasedSubjectsIn(listed)).toEqual(expect.arrayContaining(everyOne)); // as a restore reads it
    expect(items.filter(({ state }) => state !== 'done')).toEqual([]);

    await restartWithoutReadModels();
    expect(await answersOf(planted)).toEqual(erased);
    for (const href of hrefs) expect([href, await stateOf(String(href))]).toEqual([href, 'done']);
    expect(await wholeList()).toBe(listed);
  });
});
