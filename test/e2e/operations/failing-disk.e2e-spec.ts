import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, untilReady } from '#test/e2e/serving.js';
import { type Deployment, embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { type FailingDisk, failingDisk } from '#test/support/event-stores/failing-disk.js';
import { launchLogbook } from '#test/support/logbook-process.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

const folder = mkdtempSync(join(tmpdir(), 'logbook-failing-disk-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const disk = failingDisk(folder);

const topic = (service: HttpClient, name: string) => service.put(`/v1/projects/lab/topics/${name}`, { key: SERVICE_TOKEN, body: {} });

/** Creates topics until it is so. @returns the names of those that were acknowledged */
const writeUntil = async (service: HttpClient, name: string, isSo: () => boolean): Promise<readonly string[]> => {
  const acknowledged: string[] = [];
  let count = 0;
  const write = async (): Promise<boolean> => {
    count += 1;
    const status = await topic(service, `${name}-${count}`).then(
      (answer) => answer.status,
      () => 0, // the connection is gone
    );
    if (status === 200) acknowledged.push(`${name}-${count}`);
    return isSo();
  };
  await eventually(write, (is) => is);
  return acknowledged;
};

const expectAll = async (service: HttpClient, names: readonly string[]): Promise<void> => {
  const { json } = await service.get('/v1/projects/lab/topics', { key: SERVICE_TOKEN });
  const found = new Set((json as { topics: { name: string }[] }).topics.map(({ name }) => name.split('/').at(-1)));
  expect(names.filter((name) => !found.has(name))).toEqual([]);
};

/** Needs a C compiler. */
(disk ? describe : describe.skip)('a write to the disk that fails once', () => {
  const { environment, failOnce, hasFailed } = disk as FailingDisk;
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await embedded();
  });
  afterAll(() => deployment.dispose());

  const started = async () => {
    const server = launchLogbook({ ...deployment.environment, ...environment });
    const service = httpClient(await server.url);
    await untilReady(service);
    return { server, service };
  };

  const endsAndGoesOn = async (kind: 'header' | 'page' | 'flush', part: string): Promise<void> => {
    const { server, service } = await started();
    await service.post('/v1/projects/lab', { key: SERVICE_TOKEN, body: {} });
    failOnce(kind, `/${part}/data.mdb`);
    const acknowledged = await writeUntil(service, `${part.replace('/', '-')}-${kind}`, () => server.hasEnded);
    expect(await server.exited).toBe(1);
    expect(server.lines.filter((line) => line.includes('"level":"error"')).join()).toContain(
      `${join(deployment.dataDirectory, part)}: a write to the disk has failed`,
    );
    const next = await started();
    await expectAll(next.service, acknowledged);
    expect(await next.server.signal('SIGTERM')).toBe(0);
  };

  it.each(['log', 'read-models', 'history', 'audit/index', 'audit/tree'])(
    'to the header of %s ends the process with 1 and the reason; the next start has all that was acknowledged',
    (part) => endsAndGoesOn('header', part),
  );

  it.each(['page', 'flush'] as const)('to the log (%s) does so, too', (kind) => endsAndGoesOn(kind, 'log'));

  it.each(['read-models', 'history', 'audit/index', 'audit/tree'])(
    'to a page of %s, or the flush after it, is made up for by the process itself',
    async (part) => {
      const { server, service } = await started();
      await service.post('/v1/projects/lab', { key: SERVICE_TOKEN, body: {} });
      const acknowledged: string[] = [];
      for (const kind of ['page', 'flush'] as const) {
        failOnce(kind, `/${part}/data.mdb`);
        acknowledged.push(...(await writeUntil(service, `${part.replace('/', '-')}-${kind}`, hasFailed)));
      }
      const name = `${part.replace('/', '-')}-after`;
      await eventually(
        async () => (await topic(service, name)).status,
        (status) => status === 200 || status === 409,
      );
      await untilReady(service);
      await expectAll(service, [...acknowledged, name]);
      expect(await server.signal('SIGTERM')).toBe(0);
      const next = await started();
      await expectAll(next.service, [...acknowledged, name]);
      expect(await next.server.signal('SIGTERM')).toBe(0);
    },
  );
});
