import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { openTestLog, type TestLog } from '#test/support/projections/guest-list.js';
import { watchKeys } from './key-watch.js';

let log: TestLog;
let [here, there]: readonly (SubjectKeys | undefined)[] = [];
let watch: ReturnType<typeof watchKeys>;

beforeEach(async () => {
  log = await openTestLog();
  const open = () => SubjectKeys.open({ store: log.store, masterKey: log.masterKey });
  [here, there] = [await open(), await open()];
});
afterEach(async () => {
  await watch.stop();
  await log.close();
});

it('a key that another process destroys is forgotten at once, also one that was read before the watch began', async () => {
  if (!here || !there) throw new Error('not opened');
  const keys = here;
  for (const subject of ['user-early', 'user-late']) await there.obtain(subject);
  for (const subject of ['user-early', 'user-late', 'user-kept']) await keys.obtain(subject);
  await there.destroy('user-early');
  expect(keys.isDestroyed('user-early')).toBe(false);
  const quiet = { warn: () => undefined };
  watch = watchKeys({ events: log.store, keys, log: quiet, timing: { firstRetryMs: 1, longestRetryMs: 10 } });
  const destroyed = new Promise<unknown>((resolve) => keys.onDestroyed((subject) => subject !== undefined && resolve(subject)));
  // The watch has begun once the cached keys are gone.
  while (keys.cached('user-kept')) await new Promise((resolve) => setImmediate(resolve));
  expect(await keys.isDestroyed('user-early')).toBe(true);
  expect(await keys.find('user-late')).not.toBeNull();
  await there.destroy('user-late');
  expect(await destroyed).toBe('user-late');
  expect([keys.cached('user-late'), await keys.state('user-late'), await keys.state('user-never')]).toEqual([
    null,
    { state: 'destroyed', at: expect.any(String) },
    { state: 'never' },
  ]);
});
