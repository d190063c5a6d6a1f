import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { eventually } from '#test/support/eventually.js';
import { builtModule } from '#test/support/processes/built.js';
import { connected } from './host-connection.js';

const HOST = fileURLToPath(builtModule('test/support/server-host/host'));

it('starts where a host was killed, and leaves the place to one that runs', async () => {
  const directory = temporaryDirectory();
  const path = join(directory.path, 'host.sock');
  const hosts: ChildProcess[] = [];
  const start = (): ChildProcess => {
    const host = spawn(process.execPath, [HOST, path, `${process.pid}`], { stdio: 'ignore' });
    hosts.push(host);
    return host;
  };
  const listens = () => eventually(async () => (await connected(path))?.destroy(), Boolean);
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
