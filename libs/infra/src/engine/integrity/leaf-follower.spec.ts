import { expect, it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import { eventually } from '#test/support/eventually.js';
import { LeafFollower } from './leaf-follower.js';

it('a session that is closed leaves the log, although a batch was read ahead for it', async () => {
  let hasLeft = false;
  const subscribeAll = async function* () {
    try {
      for (let position = 1n; ; position++) {
        const events = Array.from({ length: 4_096 }, (_, index) => ({
          stream: `test.things-${index}`,
          revision: position,
          position,
          metadata: {},
          data: {},
        }));
        yield { events, position, caughtUp: false };
      }
    } finally {
      hasLeft = true;
    }
  };
  const follower = new LeafFollower({ events: { subscribeAll } as unknown as EventStore });
  follower.answer({
    kind: 'open',
    session: 's',
    resume: { after: 0n, end: { size: 0, frontier: '', time: null }, expected: 'no-stream', covered: new Map() },
  });
  await follower.answer({ kind: 'next', session: 's' });
  follower.answer({ kind: 'close', session: 's' });
  expect(await eventually(() => hasLeft).until((left) => left)).toBe(true);
});
