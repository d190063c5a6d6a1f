import { SIGNING_KEYS_STREAM } from '#domain/integrity/integrity-events.js';
import { evolveSigningKeys, isSigningKeyEvent, type SigningKeys } from '#domain/integrity/signing-keys.js';
import type { EventStore } from '#domain/shared/event-store.js';

const PAGE_EVENTS = 500;

/** The public keys of the installation as the log has them, former ones included. @throws EventStoreUnavailable */
export const knownSigningKeys = async (events: Pick<EventStore, 'readStream'>): Promise<SigningKeys> => {
  let keys: SigningKeys = [];
  for (let from = 0n; ; ) {
    const page = await events.readStream(SIGNING_KEYS_STREAM, { from, limit: PAGE_EVENTS });
    for (const event of page) if (isSigningKeyEvent(event)) keys = evolveSigningKeys(keys, event);
    const last = page.at(-1);
    if (!last || page.length < PAGE_EVENTS) return keys;
    from = last.revision + 1n;
  }
};
