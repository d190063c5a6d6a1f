import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { SigningKeyIntroduced, SigningKeyRetired } from './integrity-events.js';

export type SigningKeyEvent =
  | Readonly<{ type: 'SigningKeyIntroduced'; data: SigningKeyIntroduced }>
  | Readonly<{ type: 'SigningKeyRetired'; data: SigningKeyRetired }>;

/** From `at` (an instant) on, anchors are signed only with this key. `x`: the public key as in a JWK. */
type UseSigningKey = Readonly<{ type: 'UseSigningKey'; keyId: string; x: string; at: string }>;

/** A public key of the installation. `until`: null while anchors are signed with it. */
export type KnownSigningKey = SigningKeyIntroduced & Readonly<{ until: string | null }>;

/** In order of introduction. */
export type SigningKeys = readonly KnownSigningKey[];

export const isSigningKeyEvent = (event: DomainEvent): event is SigningKeyEvent =>
  event.type === 'SigningKeyIntroduced' || event.type === 'SigningKeyRetired';

export const evolveSigningKeys = (keys: SigningKeys, event: SigningKeyEvent): SigningKeys => {
  switch (event.type) {
    case 'SigningKeyIntroduced':
      return [...keys, { keyId: event.data.keyId, x: event.data.x, since: event.data.since, until: null }];
    case 'SigningKeyRetired':
      return keys.map((key) => (key.keyId === event.data.keyId ? { ...key, until: event.data.until } : key));
  }
};

/** Only one key is in use at a time. A retired key is never used again: the command then records nothing. */
export const signingKeys: Decider<SigningKeys, UseSigningKey, SigningKeyEvent> = {
  initialState: () => [],
  decide: ({ keyId, x, at }, keys) => {
    if (keys.some((key) => key.keyId === keyId)) return [];
    const retired = keys.flatMap((key): SigningKeyEvent[] =>
      key.until === null ? [{ type: 'SigningKeyRetired', data: { keyId: key.keyId, until: at } }] : [],
    );
    return [...retired, { type: 'SigningKeyIntroduced', data: { keyId, x, since: at } }];
  },
  evolve: evolveSigningKeys,
};
