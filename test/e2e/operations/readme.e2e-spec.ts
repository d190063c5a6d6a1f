import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { runSession, sessionOf } from '#test/support/documented-session.js';
import { isFullRun } from '#test/support/test-runs.js';

const ROOT = new URL('../../..', import.meta.url);

let dataDirectory: string;
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'logbook-readme-'));
});
afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

const SESSIONS = [
  ['README.md', 10],
  ['docs/operations.md', 10],
  ['docs/migration.md', 8],
  ['docs/messaging.md', 20],
] as const;

it.each(SESSIONS.slice(0, isFullRun ? undefined : 1))(
  'the session in %s is what happens in an interactive shell',
  async (document, atLeast) => {
    const steps = sessionOf(await readFile(new URL(document, ROOT), 'utf8'));
    expect(steps.length).toBeGreaterThan(atLeast);
    expect(await runSession(steps, dataDirectory)).toEqual(steps);
  },
);
