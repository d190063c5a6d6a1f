import type { RootDatabase } from 'lmdb';
import { commitCause } from '#infra/platform/lmdb/commit-failure.js';
import { within } from '#infra/platform/scheduling/within.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';

/** After damage to its first pages lmdb never settles some promises; a healthy commit takes milliseconds. */
const TIME_LIMIT_MS = 30_000;

export const unavailable = (cause: unknown): ReadStoreUnavailable =>
  cause instanceof ReadStoreUnavailable ? cause : new ReadStoreUnavailable('the embedded read models cannot be used', { cause });

/**
 * Runs `work` in a transaction shared with other waiting writes. An exception would commit what `work` had written before it, so `work`
 * returns a refusal instead, and then writes nothing.
 * @throws ReadStoreUnavailable it is unknown whether the transaction was committed
 */
export const write = async <Result>(root: RootDatabase, work: () => Result): Promise<Result> => {
  try {
    return await within(TIME_LIMIT_MS, root.transaction(work), () => {
      throw new Error(`no answer within ${TIME_LIMIT_MS} ms`);
    });
  } catch (error) {
    throw unavailable(await commitCause(error));
  }
};
