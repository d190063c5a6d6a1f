import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { openRuntime } from './runtime.js';

describe('an installation that somebody only looks at', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logbook-looked-at-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const openAndClose = async (existing: boolean): Promise<void> => {
    const runtime = await openRuntime(loadConfiguration({ LOGBOOK_DATA_DIR: directory }), createLogger('error', process.stderr), {
      existing,
      isNode: !existing,
    });
    expect(runtime.audit.index.checkpoint().size).toBe(0);
    await runtime.close();
  };
  const names = async (): Promise<readonly string[]> => (await readdir(directory)).sort();

  it('gets no directory for what is derived from its log', async () => {
    await openAndClose(false);
    expect(await names()).toContain('audit');
    await rm(join(directory, 'audit'), { recursive: true });
    const before = await names();
    await openAndClose(true);
    expect(await names()).toEqual(before);
  });
});

it('a start that finds no Redis leaves nothing open, so that it can be repeated', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'logbook-without-redis-'));
  try {
    const configuration = loadConfiguration({ LOGBOOK_DATA_DIR: directory, REDIS_URL: 'redis://127.0.0.1:1' });
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(openRuntime(configuration, createLogger('silent'), { isNode: true })).rejects.toBeInstanceOf(ReadStoreUnavailable);
    expect(await readdir(directory)).toContain('documents');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
