import { WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { Revision } from '#domain/shared/events.js';
import type { ExactAppends } from './appends/exact-appends.js';
import { FILLING_TYPE } from './categories.js';
import { bytes, type EncodedEvent } from './messages/requests.js';
import { derivedId } from './payloads.js';

const EVENTS_PER_APPEND = 500;
const EMPTY = bytes('{}');

const filling = (stream: string, revision: bigint): EncodedEvent => ({
  id: derivedId(`${stream}@${revision}`),
  type: FILLING_TYPE,
  data: EMPTY,
  metadata: EMPTY,
  contentType: 'application/json',
});

/**
 * Appends events without content until the next one gets revision `next`: the server has no other way to skip revisions. The stream must
 * already be truncated there. A scavenge removes them.
 */
export const fillUpTo = async (appends: Pick<ExactAppends, 'append'>, stream: string, next: Revision): Promise<void> => {
  for (let head = -1n; head + 1n < next; ) {
    const count = Math.min(EVENTS_PER_APPEND, Number(next - head - 1n));
    const events = Array.from({ length: count }, (_, index) => filling(stream, head + 1n + BigInt(index)));
    try {
      head = (await appends.append(stream, events, head < 0n ? 'no-stream' : head)).revision;
    } catch (error) {
      // A truncated stream does not show its head, but a conflict reports it.
      if (!(error instanceof WrongExpectedRevision) || error.actual === 'no-stream' || error.actual <= head) throw error;
      head = error.actual;
    }
  }
};
