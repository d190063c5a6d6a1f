import { within } from '#infra/platform/scheduling/within.js';

/** Error with which lmdb rejects the promises of a transaction that failed to commit. Its cause is itself a promise, which rejects. */
type CommitFailure = { commitError: Promise<unknown> };

const isCommitFailure = (error: unknown): error is CommitFailure =>
  typeof error === 'object' && error !== null && 'commitError' in error && error.commitError instanceof Promise;

/** Recognises causes of commit failures. System errors have texts as codes. */
const isLmdbError = (error: unknown): boolean => error instanceof Error && 'code' in error && typeof error.code === 'number';

const onUnhandledRejection = (reason: unknown): void => {
  if (isCommitFailure(reason)) reason.commitError.catch(() => {});
  else if (isLmdbError(reason))
    return; // the writer gets the commit failure
  else if (process.listenerCount('unhandledRejection') === 1) throw reason;
};

/**
 * lmdb produces unhandled rejections in addition to the one that the caller gets: without a listener a full disk would end the process.
 * Other unhandled rejections keep their effect: they end the process unless the program has a listener of its own.
 */
export const ignoreHandledCommitFailures = (): void => {
  if (!process.listeners('unhandledRejection').includes(onUnhandledRejection)) process.on('unhandledRejection', onUnhandledRejection);
};

const CAUSE_TIMEOUT_MS = 1_000;

/** The system error behind a rejected transaction; the rejection itself if it is of another kind, or its cause does not settle in time. */
export const commitCause = async (error: unknown): Promise<unknown> => {
  if (!isCommitFailure(error)) return error;
  const cause = error.commitError.catch((reason: unknown) => reason);
  return within(CAUSE_TIMEOUT_MS, cause, () => error);
};
