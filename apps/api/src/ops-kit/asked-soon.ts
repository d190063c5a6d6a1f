import { within } from '#infra/platform/scheduling/within.js';

const LONGEST_MS = 2_000;

/** The result, or null on a failure or after two seconds. Never throws. */
export const askedSoon = <Found>(asking: Promise<Found>): Promise<Found | null> => {
  const unknown = (): null => null;
  return within(LONGEST_MS, asking.catch(unknown), unknown);
};
