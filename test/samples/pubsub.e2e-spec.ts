import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { SAMPLES, startSample } from './running.js';
import { startUnreliableProxy } from './unreliable-proxy.js';

describe("Google's Pub/Sub client", () => {
  const scene = serving(embedded, { LOGBOOK_HISTORY: 'off' });
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'logbook-pubsub-'));
    cpSync(join(SAMPLES, 'pubsub'), directory, { recursive: true });
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: directory });
  }, 600_000);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('publishes, pulls, gives back and acknowledges; repeats what a proxy refuses in its own way', async () => {
    const project = await createProject(scene, 'p');
    const proxy = await startUnreliableProxy(
      scene.server.url,
      ':acknowledge',
      { refused: 503 },
      { refused: 503, text: '<html>busy</html>' },
    );
    const environment = { LOGBOOK_URL: proxy.url, MESSAGING_KEY: await project.member('ada', 'project_admin') };
    const { exited, lines, errors } = startSample([process.execPath, join(directory, 'example.mjs'), 'p'], environment);
    try {
      expect([await exited, errors]).toEqual([0, []]);
    } finally {
      await proxy.close();
    }
    expect(proxy.seen).toHaveLength(4);
    expect(lines).toEqual(['published 0', 'published 1', '0 A is down, attempt 1', '0 A is down, attempt 2', '1 B is down, attempt 1']);
    expect((await project.get('/topics')).json).toMatchObject({ totalSize: 0 });
  });

  it('publishes, pulls and acknowledges with a key as its access token, and nothing in between', async () => {
    const project = await createProject(scene, 'q');
    await project.topic('t');
    await project.subscription('s', 't');
    const environment = { LOGBOOK_URL: scene.server.url, MESSAGING_KEY: await project.member('bob', 'project_admin') };
    const { exited, lines, errors } = startSample([process.execPath, join(directory, 'plain.mjs'), 'q', 't', 's'], environment);
    expect([await exited, errors, lines]).toEqual([0, [], ['published 0', '0 A is down']]);
    expect((await project.get('/subscriptions/s:offsets')).json).toEqual({ max: 1, min: 0, current: 1 });
  });
});
