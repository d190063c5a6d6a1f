import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { parseWrittenBytes } from '#test/bench/profile/usage.js';
import { servingAlone } from '#test/e2e/serving.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { registerTenant } from '#test/support/status-client.js';

const WINDOW_MS = 2_500;
/** By which threads wake each other. */
const FEW_BYTES = 500;

const scene = servingAlone(embedded);

it('a server that nobody asks for anything writes nothing', async () => {
  await registerTenant(scene.status, ADMIN, 'EGI', ['admin']);
  const written = (): number => parseWrittenBytes(readFileSync(`/proc/${scene.server.pid}/io`, 'utf8'));
  const inWindow = async (): Promise<number> => {
    const before = written();
    await sleep(WINDOW_MS);
    return written() - before;
  };
  expect(await eventually(inWindow).until((bytes) => bytes < FEW_BYTES)).toBeLessThan(FEW_BYTES);
});
