import { within } from '#infra/platform/scheduling/within.js';

const LONGEST_MS = 2_000;

/** The result, or null on a failure or after the time limit. Never throws. @param longestMs default 2,000 */
export const askedSoon = <Found>(asking: Promise<Found>, longestMs = LONGEST_MS): Promise<Found | null> => {
  const unknown = (): null => null;
  return within(longestMs, asking.catch(unknown), unknown);
};
