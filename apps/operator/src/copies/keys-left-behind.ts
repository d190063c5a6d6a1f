import { randomUUID } from 'node:crypto';
import { ACCESS_KEYS_STREAM, accessKeys, isAccessKeyEvent } from '#domain/operations/access-keys.js';
import type { Cause } from '#domain/shared/causation.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { NewEvent } from '#domain/shared/events.js';
import { streamPages } from '#infra/stores/event-store/stream-pages.js';
import { operatorAt } from '#operator/operator.js';

/**
 * Revokes all active access keys in a log that was made elsewhere. Keys of the environment become active again at the next start, even if
 * they are among them. Repeating it is safe.
 * @param cause beginning of the import
 * @returns their number
 */
export const leaveKeysBehind = async (log: Pick<EventStore, 'readStream' | 'append'>, cause: Cause | null): Promise<number> => {
  let state = accessKeys.initialState();
  let next = 0n;
  for await (const page of streamPages(log, ACCESS_KEYS_STREAM))
    for (const event of page) {
      if (isAccessKeyEvent(event)) state = accessKeys.evolve(state, event);
      next = event.revision + 1n;
    }
  const revoked = accessKeys.decide({ type: 'LeaveKeysBehind' }, state);
  const context = operatorAt(Date.now(), cause);
  const events = revoked.map(
    ({ type, data }): NewEvent => ({
      id: randomUUID(),
      type,
      data,
      metadata: { ...context, schemaVersion: 1 },
    }),
  );
  if (events.length > 0) await log.append(ACCESS_KEYS_STREAM, events, next - 1n);
  return events.length;
};
