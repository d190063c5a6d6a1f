import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { announceAddress } from '#api/hosting/server-address.js';
import { currentBoot, startOf } from '#infra/platform/program/process-origin.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { serverBeside } from './beside.js';
import { CommandFailed } from './command-failed.js';

const EVENTSTORE = { EVENTSTORE_URL: 'esdb://127.0.0.1:1' };
const REDIS = { REDIS_URL: 'redis://127.0.0.1:1' };

describe('the server that has embedded stores open', () => {
  let folder: string;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logbook-beside-'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await rm(folder, { recursive: true });
  });
  const open = async (store: 'log' | 'documents'): Promise<void> => {
    const path = join(folder, store);
    const opened = store === 'log' ? openEmbeddedEventStore({ path }) : await openDocumentStore({ path });
    closing.push(() => opened.close());
  };
  const beside = (more: Readonly<Record<string, string>> = {}) =>
    serverBeside({ LOGBOOK_DATA_DIR: folder, LOGBOOK_OPS_KEY: 'key', ...more });
  /** Answers each call with its own name, the call and the key. */
  const listening = async (name: string): Promise<string> => {
    const server = createServer(({ method, url, headers }, answer) =>
      answer.end(JSON.stringify([name, method, url, headers['x-api-key']])),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const failureOf = async (act: Promise<unknown>): Promise<readonly [boolean, string]> => {
    const failure: unknown = await act.catch((error: unknown) => error);
    return [failure instanceof CommandFailed, (failure as Error).message];
  };

  it('is looked for by the stores that the configuration embeds', async () => {
    expect(await beside()).toBeUndefined();
    await open('log');
    expect([await beside(), await beside(REDIS)]).toEqual([expect.anything(), expect.anything()]);
    expect(await beside(EVENTSTORE)).toBeUndefined();
    await open('documents');
    expect(await beside(EVENTSTORE)).toEqual(expect.anything());
    expect(await beside({ ...EVENTSTORE, ...REDIS })).toBeUndefined();
  });

  it('is, for each call, one with the role that it takes', async () => {
    await open('log');
    await announceAddress(folder, await listening('own'), ['api', 'projector']);
    const ppid = process.ppid || 1; // in a container the parent may not be seen
    const other = { url: await listening('other'), roles: ['history'], boot: currentBoot(), start: startOf(ppid) };
    await writeFile(join(folder, `server.${ppid}.json`), JSON.stringify(other));
    const server = await beside();
    expect([
      await server?.get('/ops/keys'),
      await server?.post('/ops/projections/status.tenants/rebuild'),
      await server?.get('/audit/events?limit=1'),
    ]).toEqual([
      ['own', 'GET', '/ops/keys', 'key'],
      ['own', 'POST', '/ops/projections/status.tenants/rebuild', 'key'],
      ['other', 'GET', '/audit/events?limit=1', 'key'],
    ]);
  });

  it('is asked with the key that was generated at its first start, unless one is given', async () => {
    await open('log');
    await announceAddress(folder, await listening('own'), ['api']);
    expect(await failureOf(beside({ LOGBOOK_OPS_KEY: '' }))).toEqual([
      true,
      `another process has ${join(folder, 'log')} open, and there is no key to ask it with: give LOGBOOK_OPS_KEY, or stop it first`,
    ]);
    await writeFile(join(folder, 'credentials.json'), JSON.stringify({ LOGBOOK_OPS_KEY: 'generated' }));
    const [first, second] = [await beside({ LOGBOOK_OPS_KEY: '' }), await beside()];
    expect([await first?.get('/ops/keys'), await second?.get('/ops/keys')]).toEqual([
      ['own', 'GET', '/ops/keys', 'generated'],
      ['own', 'GET', '/ops/keys', 'key'],
    ]);
  });

  it('is named where no server says where it is, or none has the role', async () => {
    await open('log');
    await announceAddress(folder, await listening('own'), ['api']);
    const server = await beside();
    expect(await failureOf(server?.get('/audit/keys') ?? Promise.resolve())).toEqual([
      true,
      expect.stringMatching(/^another process has .*log open, and no server that has the role history is found there: give LOGBOOK_URL/),
    ]);
  });
});
