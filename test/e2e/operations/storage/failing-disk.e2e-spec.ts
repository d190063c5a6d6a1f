import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, embedded, OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import { type FailingDisk, failingDisk } from '#test/support/event-stores/failing-disk.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { launchLogbook } from '#test/support/processes/logbook-process.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

const folder = mkdtempSync(join(tmpdir(), 'logbook-failing-disk-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const disk = failingDisk(folder);

const topic = (service: HttpClient, name: string) => service.put(`/v1/projects/lab/topics/${name}`, { key: SERVICE_TOKEN, body: {} });

/** Creates topics until it is so. @returns the names of those that were acknowledged */
const writeUntil = async (service: HttpClient, name: string, isSo: () => boolean | Promise<boolean>): Promise<readonly string[]> => {
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
  await eventually(write).until((is) => is);
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
    await service.post('/v1/projects/lab', { key: SERVICE_TOKEN, body: {} });
    return { server, service };
  };

  const failed = (part: string): string => `${join(deployment.dataDirectory, part)}: a write to the disk has failed`;
  const errorsOf = (lines: readonly string[]): string => lines.filter((line) => line.includes('"level":"error"')).join();

  const endsAndGoesOn = async (
    { server, service }: Awaited<ReturnType<typeof started>>,
    kind: 'header' | 'page' | 'flush',
    part: string,
  ): Promise<void> => {
    failOnce(kind, `/${part}/data.mdb`);
    const acknowledged = await writeUntil(service, `${part.replace('/', '-')}-${kind}-end`, () => server.hasEnded);
    // It kills itself if one of its threads takes too long to end, as on a machine that is busy with other things.
    expect([1, 'SIGKILL']).toContain((await server.exited) ?? server.endedBy);
    expect(errorsOf(server.lines)).toContain(failed(part));
    const next = await started();
    await expectAll(next.service, acknowledged);
    expect(await next.server.signal('SIGTERM')).toBe(0);
  };

  it.each(['documents/index', 'audit/tree'])(
    'to the header of %s ends the process; the next start has all that was acknowledged',
    async (part) => endsAndGoesOn(await started(), 'header', part),
  );

  it.each(['header', 'page', 'flush'] as const)(
    'to the log (%s) ends the process; the next start has all that was acknowledged',
    async (kind) => endsAndGoesOn(await started(), kind, 'log'),
  );

  it.each([
    ['a page of documents/index', 'page', '/documents/index/data.mdb'],
    ['a page of audit/tree', 'page', '/audit/tree/data.mdb'],
    ['documents', 'header', '.docs'], // as small as that
  ] as const)('to %s, or the flush after it, is made up for by the process itself', async (of, write, part) => {
    const { server, service } = await started();
    const acknowledged: string[] = [];
    const name = of.replaceAll(/\W/g, '-');
    for (const kind of [write, 'flush'] as const) {
      failOnce(kind, part);
      acknowledged.push(...(await writeUntil(service, `${name}-${kind}`, hasFailed)));
    }
    await eventually(async () => (await topic(service, `${name}-after`)).status).until((status) => status === 200 || status === 409);
    await untilReady(service);
    await expectAll(service, [...acknowledged, `${name}-after`]);
    expect(await server.signal('SIGTERM')).toBe(0);
    const next = await started();
    await expectAll(next.service, [...acknowledged, `${name}-after`]);
    expect(await next.server.signal('SIGTERM')).toBe(0);
  });

  it.each(['append', 'read', 'flush'] as const)('under the audit index (%s) is made up for by the process itself', async (kind) => {
    const { server, service } = await started();
    const newest = () => service.get('/audit/events?type=TopicCreated&order=desc&limit=1000', { key: OPERATOR });
    await eventually(newest).until(({ status }) => status === 200);
    failOnce(kind, kind === 'flush' ? '/audit/index' : '/audit/index/journal');
    if (kind === 'flush') await rm(join(deployment.dataDirectory, 'audit', 'index', 'current')); // it is begun anew, by a flush
    const acknowledged = await writeUntil(service, `index-${kind}`, async () => {
      if (kind === 'read') await newest(); // whoever writes the index does not read it
      return hasFailed();
    });
    const last = acknowledged.at(-1) ?? '';
    const after = await eventually(newest).until((answer) => answer.status === 200 && namesOf(answer)[0] === last);
    expect(namesOf(after).slice(0, acknowledged.length)).toEqual(acknowledged.toReversed());
    expect(await server.signal('SIGTERM')).toBe(0);
  });
});

const namesOf = ({ json }: Readonly<{ json: unknown }>): readonly string[] =>
  (json as { items: readonly { data: { name: string } }[] }).items.map(({ data }) => data.name);
