import { expect, it } from '@jest/globals';
import { LEAVES_STREAM } from '#domain/integrity/integrity-events.js';
import { ChainFollower } from './chain-follower.js';

/** It gives the lease to all who ask. */
const store = {
  ...{ isAlone: true, onCommit: () => () => undefined, documents: () => ({ get: async () => null }) },
  ...{ served: async () => ({}), checkpoint: async () => 0n, commit: async () => undefined },
};

/** Sizes of the anchors that a node signs when it continues a chain of this size. */
const signedFor = async (size: number): Promise<readonly number[]> => {
  const signed: number[] = [];
  const leaves = { from: size - 1, count: 1, leaves: '', streams: ['test.things-1'], runs: [0, 0, 1], time: '', frontier: '' };
  const readStream = async (stream: string) => [{ revision: 0n, position: 1n, data: stream === LEAVES_STREAM ? leaves : {} }];
  let follower: ChainFollower | undefined;
  await new Promise<void>((chaining) => {
    // biome-ignore lint/correctness/useYield: there are no more events
    const batches = async function* () {
      chaining();
    };
    follower = new ChainFollower({
      events: { readStream, onInterruption: () => () => undefined } as never,
      store: store as never,
      chain: { expect: () => undefined } as never,
      anchor: async (made) => signed.push(made),
      source: () => ({ batches, hurry: () => undefined }),
      log: { debug: () => undefined, warn: () => undefined, error: () => undefined },
      now: Date.now,
    });
    follower.start();
  });
  await follower?.stop();
  return signed;
};

it('A chain that ends at a multiple of 10,000 is continued with its anchor', async () => {
  expect(await Promise.all([9_999, 10_000, 20_001, 30_000].map(signedFor))).toEqual([[], [10_000], [], [30_000]]);
});
