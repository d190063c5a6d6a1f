import { MESSAGES_CATEGORY } from '#domain/messaging/messages/message-events.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';

const HOUR_MS = 3_600_000;
const HOURS = 24;

const SERIES = {
  messaging: ['category', MESSAGES_CATEGORY],
  status: ['service', 'status'],
  accounting: ['service', 'accounting'],
} as const;

/**
 * Events of each clock hour of the last 24, oldest first, from the index of the log; the newest is in progress.
 * @param now milliseconds since 1970-01-01 UTC
 * @throws AuditIndexIncomplete
 */
export const eventsOfDay = (index: AuditIndex, now: number) => {
  const from = (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;
  const bounds = Array.from({ length: HOURS }, (_, hour) => index.countBefore(from + hour * HOUR_MS));
  const { size } = index.checkpoint();
  const series = (before: (index: number) => number) => {
    const totals = [...bounds, size].map(before);
    const counts = bounds.map((_, hour) => (totals[hour + 1] ?? 0) - (totals[hour] ?? 0));
    return { from: new Date(from).toISOString(), secondsEach: HOUR_MS / 1_000, counts };
  };
  const ofTerm = (name: keyof typeof SERIES) => {
    const [kind, text] = SERIES[name];
    return series((end) => index.tallies.before(end, kind, text));
  };
  return { messaging: ofTerm('messaging'), status: ofTerm('status'), accounting: ofTerm('accounting'), log: series((end) => end) };
};
