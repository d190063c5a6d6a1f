import { SIGNING_KEYS_STREAM } from '#domain/integrity/integrity-events.js';
import { evolveSigningKeys, isSigningKeyEvent, type SigningKeys } from '#domain/integrity/signing-keys.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { streamPages } from '#infra/stores/event-store/stream-pages.js';

/** The public keys of the installation in the log, including former ones. @throws EventStoreUnavailable */
export const knownSigningKeys = async (events: Pick<EventStore, 'readStream'>): Promise<SigningKeys> => {
  let keys: SigningKeys = [];
  for await (const page of streamPages(events, SIGNING_KEYS_STREAM))
    for (const event of page) if (isSigningKeyEvent(event)) keys = evolveSigningKeys(keys, event);
  return keys;
};
