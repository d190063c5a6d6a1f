import * as errors from '#api/status/errors.js';
import type { Turnstile } from '#infra/platform/scheduling/turnstile.js';

/** Interval of the check whether the client of a call is gone. */
export const LOOK_MS = 250;

/**
 * Enters a turnstile for a call. Resolves with the function that ends its turn.
 * @param longestMs limit of the wait
 * @throws StatusError 499 if the client is gone, 503 if the wait is too long
 */
export const turnOfCall = async (
  turns: Turnstile,
  key: string,
  { isGone, longestMs }: Readonly<{ isGone: () => boolean; longestMs: number }>,
): Promise<() => void> => {
  const over = new AbortController();
  const late = setTimeout(() => over.abort(errors.unavailable()), longestMs);
  const look = setInterval(() => isGone() && over.abort(errors.nobodyWaits()), LOOK_MS);
  const leave = await turns.enter(key, over.signal).finally(() => {
    clearTimeout(late);
    clearInterval(look);
  });
  if (!isGone()) return leave;
  leave();
  throw errors.nobodyWaits();
};
