import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '#domain/shared/decider.js';
import * as errors from './errors.js';

/** Maximum wait for read models to catch up with the log. */
const LONGEST_WAIT_MS = 5_000;
const PAUSE_MS = 20;

/**
 * Repeats an attempt that is made from read models, while the decider refuses it with `code`, because the log is ahead of them.
 * @throws MessagingError the read models are too far behind
 */
export const whileBehind = async <Result>(code: string, attempt: () => Promise<Result>): Promise<Result> => {
  for (const end = performance.now() + LONGEST_WAIT_MS; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DomainError && error.code === code)) throw error;
      if (performance.now() > end) throw errors.notReady();
      await pause(PAUSE_MS);
    }
  }
};
