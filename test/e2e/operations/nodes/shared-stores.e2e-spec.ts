import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, distributed, dropReadModels, OPERATOR } from '#test/support/deployments.js';
import { FOREIGN_COUNT, writeForeign, writeMetadata } from '#test/support/eventstoredb/foreign-writer.js';
import { eventually } from '#test/support/eventually.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, registerTenant } from '#test/support/status-client.js';

describe('stores that others use, too:', () => {
  const scene = serving(distributed, { LOGBOOK_HISTORY: 'on' });
  const key = 'shared-admin';
  const ops = (path: string) => scene.root.get(path, { key: OPERATOR });
  const eventStore = () => scene.deployment.environment.EVENTSTORE_URL ?? '';
  const named = () => scene.server.lines.filter((line) => line.includes('another program writes to this EventStoreDB'));
  const foreignEvents = async () =>
    Number(/^logbook_foreign_events_total (\d+)$/m.exec((await scene.root.get('/metrics', { accept: null })).text)?.[1]);

  /** Writes, and asks for what the chain, the audit index and the history know of it. */
  const writeAndFollow = async (name: string): Promise<void> => {
    const written = await scene.status.post('/weights', { key, body: weights(name) });
    expect(written.status).toBe(201);
    const position = written.headers.get('logbook-position') ?? '';
    const anchored = (await scene.root.post('/audit/anchors', { key: OPERATOR })).json as Readonly<{ position: string }>;
    expect(BigInt(anchored.position)).toBeGreaterThanOrEqual(BigInt(position));
    const then = await eventually(() => scene.status.get('/weights', { key, headers: { 'logbook-as-of': position } })).until(
      ({ status }) => status === 200,
    );
    expect(then.text).toContain(`"${name}"`);
    await eventually(() => ops('/audit/events?category=status.weights&order=desc')).until(
      ({ status, text }) => status === 200 && text.includes(`"${position}"`),
    );
  };

  const intact = async (): Promise<unknown> => {
    const begun = await scene.root.post('/audit/verifications', { key: OPERATOR });
    const done = ({ json }: Answer) => (json as Readonly<{ state: string }>).state !== 'running';
    return (await eventually(() => ops(begun.headers.get('location') ?? '')).until(done)).json;
  };

  it('an EventStoreDB is followed past the events of other programs, which are counted and named once', async () => {
    await registerTenant(scene.status, ADMIN, 'shared', ['admin']);
    await writeForeign(eventStore());
    await writeAndFollow('one');
    await eventually(foreignEvents).until((count) => count === FOREIGN_COUNT);
    const lines = named();
    expect(lines.map((line) => JSON.parse(line)).find(({ stream }) => stream === 'orders-1')).toMatchObject({
      level: 'warn',
      type: 'order-placed',
      event: expect.any(String),
      position: expect.stringMatching(/^\d+$/),
    });
    await writeForeign(eventStore());
    await writeAndFollow('two');
    await eventually(foreignEvents).until((count) => count === 2 * FOREIGN_COUNT);
    expect(named()).toEqual(lines);
    expect(lines.join('')).not.toContain('\u001b');
    expect(await intact()).toMatchObject({ intact: true, problem: null });
    expect((await ops('/audit/events?category=orders')).json).toMatchObject({ items: [] });
    expect((await ops('/audit/streams/orders-1')).status).toBe(404);
  });

  it('it is read from its beginning by a node that knows nothing yet, and by commands', async () => {
    const { environment } = scene.deployment;
    await scene.restart(async () => {
      await rm(join(scene.deployment.dataDirectory, 'audit'), { recursive: true });
      await dropReadModels(scene.deployment);
    });
    await writeAndFollow('three');
    await eventually(foreignEvents).until((count) => count === 2 * FOREIGN_COUNT);
    expect(named().length).toBeGreaterThan(0);
    expect(await runLogbook(['audit', 'verify'], environment)).toMatchObject({ code: 0 });
    const file = join(scene.deployment.dataDirectory, 'copy.logbook');
    expect(await runLogbook(['export', file], environment)).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).not.toMatch(/orders-\d/);
  });

  it('metadata of our streams that others set are told by a metric, the log and the doctor, until they are set back', async () => {
    const { environment } = scene.deployment;
    const remote = { LOGBOOK_URL: scene.server.url, LOGBOOK_OPS_KEY: OPERATOR };
    const streams = async () =>
      /^logbook_foreign_stream_metadata (\d+)$/m.exec((await scene.root.get('/metrics', { accept: null })).text)?.[1];
    const ofMetadata = async (where: Readonly<Record<string, string>>) =>
      (await runLogbook(['doctor'], where)).stdout.split('\n').find((line) => line.startsWith('metadata'));
    await eventually(streams).until((count) => count === '0');
    expect([await ofMetadata(environment), await ofMetadata(remote)]).toEqual([
      expect.stringMatching(/^metadata +ok$/),
      expect.stringMatching(/^metadata +ok$/),
    ]);
    const stream = 'status.tenants-global';
    await scene.restart(() => writeMetadata(eventStore(), stream, { maxAge: 86_400, acl: { writeRoles: ['$admins'] } }));
    await eventually(streams).until((count) => count === '1');
    expect(scene.server.lines.join('\n')).toContain(`"streams":"${stream} ($maxAge, $acl)"`);
    const again = { ...remote, LOGBOOK_URL: scene.server.url };
    expect([await ofMetadata(environment), await ofMetadata(again)]).toEqual([
      expect.stringContaining(`WRONG: another program has set metadata of ${stream} ($maxAge, $acl): reset them`),
      expect.stringContaining('WRONG: Another program has set metadata of 1 stream of Logbook in EventStoreDB.'),
    ]);
    await scene.restart(() => writeMetadata(eventStore(), stream, {}));
    await eventually(streams).until((count) => count === '0');
    expect(await ofMetadata(environment)).toMatch(/^metadata +ok$/);
  });

  it.each([0, 3])('a Redis takes no other installation with the same prefix, in database %s', async (number) => {
    const { REDIS_URL = '', LOGBOOK_REDIS_PREFIX = '' } = scene.deployment.environment;
    const url = Object.assign(new URL(REDIS_URL), { pathname: `/${number}` }).href;
    const directory = join(scene.deployment.dataDirectory, `other-${number}`);
    const other = { LOGBOOK_DATA_DIR: directory, REDIS_URL: url, LOGBOOK_REDIS_PREFIX };
    const { code, stderr } = await runLogbook(['serve'], other);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      variable: 'LOGBOOK_REDIS_PREFIX',
      message: expect.stringMatching(/^installation [\da-f-]{36} \(\S+:\d+\) uses the prefix \S+ on this Redis: choose another one/),
    });
    await writeAndFollow(`beside-${number}`);
  });
});
