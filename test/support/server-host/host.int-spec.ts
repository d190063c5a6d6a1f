import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { eventually } from '#test/support/eventually.js';
import { builtModule } from '#test/support/processes/built.js';
import { loadOnce } from '#test/support/processes/load-once.js';
import { connected } from './host-connection.js';

const HOST = fileURLToPath(builtModule('test/support/server-host/host'));

const { connectChromium, executable } = loadOnce<typeof import('#test/console/chromium.js')>('test/console/chromium');

/** Without Chromium there is nothing to hold. */
(executable === undefined ? it.skip : it)('goes on with too much memory while somebody uses its browser', async () => {
  const directory = temporaryDirectory();
  const path = join(directory.path, 'host.sock');
  const host = spawn(process.execPath, [HOST, path, `${process.pid}`, '1'], { stdio: 'ignore' });
  try {
    const user = (await eventually(() => connected(path)).until(Boolean)) as Socket;
    user.write(`${JSON.stringify({ browser: executable })}\n`);
    const [answer] = (await once(user, 'data')) as [Buffer];
    const { endpoint } = JSON.parse(answer.toString()) as { endpoint: string };
    const browser = await connectChromium(endpoint);
    expect(host.exitCode).toBeNull();
    expect(browser.isConnected()).toBe(true);
    await browser.close();
    user.destroy();
    expect(await once(host, 'close')).toEqual([0, null]);
  } finally {
    host.kill('SIGKILL');
    directory.remove();
  }
});

it('starts where a host was killed, and leaves the place to one that runs', async () => {
  const directory = temporaryDirectory();
  const path = join(directory.path, 'host.sock');
  const hosts: ChildProcess[] = [];
  const start = (): ChildProcess => {
    const host = spawn(process.execPath, [HOST, path, `${process.pid}`], { stdio: 'ignore' });
    hosts.push(host);
    return host;
  };
  const listens = () => eventually(async () => (await connected(path))?.destroy()).until(Boolean);
  try {
    const killed = start();
    await listens();
    killed.kill('SIGKILL');
    await once(killed, 'close');
    start();
    await listens();
    expect(await once(start(), 'close')).toEqual([0, null]);
    await listens();
  } finally {
    for (const host of hosts) host.kill('SIGKILL');
    directory.remove();
  }
});
