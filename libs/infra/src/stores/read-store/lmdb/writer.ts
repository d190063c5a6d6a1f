import type { RootDatabase } from 'lmdb';
import { commitCause } from '#infra/platform/lmdb/commit-failure.js';
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIME_LIMIT_MS} ms`)), TIME_LIMIT_MS);
  });
  try {
    return await Promise.race([root.transaction(work), late]);
  } catch (error) {
    throw unavailable(await commitCause(error));
  } finally {
    clearTimeout(timer);
  }
};
