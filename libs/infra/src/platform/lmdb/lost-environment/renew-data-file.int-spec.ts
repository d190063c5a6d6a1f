import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { openEnvironment } from '../environment.js';
import { lockDirectory } from '../lock.js';
import { renewDataFile } from './renew-data-file.js';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

it('files are renewed under the lock of their directory: what another process acknowledged meanwhile would be lost', async () => {
  const path = join(directory.path, 'store');
  await openEnvironment({ path, durability: 'durable', maxDbs: 1 }).close();
  const renewing = renewDataFile(path);
  expect(() => lockDirectory(path)).toThrow('is in use');
  await renewing;
  const lock = lockDirectory(path);
  await expect(renewDataFile(path)).rejects.toThrow('is in use');
  lock.release();
});
