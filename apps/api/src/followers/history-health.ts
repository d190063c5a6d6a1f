import type { PastSources } from '#api/as-of/time-of-call.js';

/** The history as `/health` shows it; null on nodes without one. It never makes a node unready: only reads as of the past wait for it. */
export const historyHealth = (past: PastSources | null): object | null => {
  if (!past) return null;
  try {
    const { state, position, lagSeconds, failures } = past.history.status();
    const failed = failures.map(({ projection, at, type, message }) => ({ projection, position: `${at}`, type, message }));
    return { status: state, position: `${position}`, lagSeconds, failures: failed };
  } catch {
    return { status: 'unknown' };
  }
};
