import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import type { Cause } from '#domain/shared/causation.js';
import { type EventStore, WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { JsonObject, NewEvent } from '#domain/shared/events.js';
import { systemEvent } from '#infra/stores/event-store/system-events.js';

export const SUBJECT_KEYS_CATEGORY = 'keys.subject';
export const MASTER_CATEGORY = 'keys.master';
/** Type of the event that remains of a destroyed key. */
export const DESTROYED = 'SubjectKeyDestroyed';

/** Event types of keys, by category. They are read in stored form, without a catalogue. */
export const keyEvents: Readonly<Record<string, EventCatalogue>> = {
  [SUBJECT_KEYS_CATEGORY]: { SubjectKeyCreated: {}, [DESTROYED]: {} },
  [MASTER_CATEGORY]: { MasterKeyChosen: {} },
};

export const streamOfSubject = (subject: string): string => `keys.subject-${subject}`;

/** The log was written with another master key. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey';
}

/** `cause`: as for `systemContext`; keys are made by themselves, when they are first needed. */
export const keyEvent = (type: string, data: JsonObject, cause: Cause | null = null): NewEvent =>
  systemEvent('subject-keys', type, data, cause);

const MASTER_STREAM = `${MASTER_CATEGORY}-global`;

/**
 * The first start stores a fingerprint of the master key in the log, and every later start compares it. A lost or wrong key is detected
 * before anything is sealed with it. @throws WrongMasterKey
 */
export const confirmMasterKey = async (store: EventStore, masterKey: Buffer): Promise<void> => {
  const fingerprint = fingerprintOf(masterKey);
  const stored = (await readFingerprint(store)) ?? (await choose(store, fingerprint));
  if (!isSame(stored, fingerprint)) {
    throw new WrongMasterKey(
      'this log was sealed with another master key: give the one that belongs to it (environment or master.key), for a restored log that of the installation it was copied from',
    );
  }
};

/** Returns whether the log was sealed with this master key, or with none yet. @throws EventStoreUnavailable */
export const confirmsMasterKey = async (store: Pick<EventStore, 'readStream'>, masterKey: Buffer): Promise<boolean> => {
  const stored = await readFingerprint(store);
  return stored === null || isSame(stored, fingerprintOf(masterKey));
};

/** Fingerprint of the master key with which the log was sealed; `null` before it was. @throws EventStoreUnavailable */
export const masterFingerprint = async (store: Pick<EventStore, 'readStream'>): Promise<string | null> =>
  (await readFingerprint(store))?.toString('hex') ?? null;

export const hasFingerprint = (masterKey: Buffer, fingerprint: string): boolean =>
  isSame(Buffer.from(fingerprint, 'hex'), fingerprintOf(masterKey));

const fingerprintOf = (masterKey: Buffer): Buffer => createHmac('sha256', masterKey).update('logbook master key').digest();

const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

/** Returns whether the log was sealed: it has a fingerprint of the master key from the first start on. @throws EventStoreUnavailable */
export const isSealedLog = async (store: Pick<EventStore, 'readStream' | 'head'>): Promise<boolean> =>
  (await readFingerprint(store)) !== null || (await store.head([SUBJECT_KEYS_CATEGORY])) > 0n;

const choose = async (store: EventStore, fingerprint: Buffer): Promise<Buffer> => {
  try {
    await store.append(MASTER_STREAM, [keyEvent('MasterKeyChosen', { fingerprint: fingerprint.toString('hex') })], 'no-stream');
    return fingerprint;
  } catch (error) {
    const chosen = error instanceof WrongExpectedRevision ? await readFingerprint(store) : null;
    if (chosen === null) throw error;
    return chosen;
  }
};

const readFingerprint = async (store: Pick<EventStore, 'readStream'>): Promise<Buffer | null> => {
  const [event] = await store.readStream(MASTER_STREAM, { limit: 1 });
  return event ? Buffer.from(String(event.data.fingerprint), 'hex') : null;
};
