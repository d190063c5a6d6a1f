import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Cause } from '#domain/shared/causation.js';
import { AppendOutcomeUnknown, type EventStore, type ExpectedRevision, WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { CredentialHashes } from './credential-hashes.js';
import { confirmMasterKey, DESTROYED, keyEvent, streamOfSubject, WrongMasterKey } from './key-events.js';
import { Pseudonyms } from './pseudonyms.js';
import { KEY_BYTES, seal, unseal } from './seal.js';

type SubjectKeysOptions = Readonly<{
  store: EventStore;
  /** 32 bytes; see `loadMasterKey`. */
  masterKey: Buffer;
  /** Milliseconds that a key stays in memory, and so the time for which other nodes can still read after a `destroy`. Default 60,000. */
  cacheMilliseconds?: number;
}>;

/** `undefined`: unknown keys, perhaps none. */
type DestroyedListener = (subject: string | undefined) => void;

/** A list of records may need one key per record. A key takes about 300 bytes. */
const MAX_CACHED_KEYS = 50_000;
const MAX_ATTEMPTS = 3;

/**
 * State of a subject's key in the log. `destroyed`: the key has left the log; until then it is `kept`, even if nothing uses it any more. `at`: time of
 * destruction, UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`.
 */
type KeyState = Readonly<{ state: 'never' | 'kept' }> | Readonly<{ state: 'destroyed'; at: string }>;

/** The key of the subject was destroyed: nothing can be sealed for it. */
export class SubjectKeyDestroyed extends Error {
  override readonly name = 'SubjectKeyDestroyed';
  constructor(readonly subject: string) {
    super(`the key of ${subject} was destroyed`);
  }
}

/**
 * One data key per subject (a person, or anything that may have to be erased), stored in wrapped form in the event log itself: it is backed
 * up and replicated with the data it protects, and permanently gone once its stream is truncated.
 *
 * A subject is a name such as `user-<uuid>`. `destroy` takes effect at once on this node, and on others as soon as their `watchKeys`
 * reads it; a node that is cut off from the log can use a cached key for up to `cacheMilliseconds` more. On EventStoreDB truncated events
 * leave the disk with the next scavenge.
 */
export class SubjectKeys {
  /** Pseudonyms of sealed texts, used to find them. */
  readonly pseudonyms: Pseudonyms;
  /** Hashes of credentials, used to look them up. */
  readonly credentialHashes: CredentialHashes;
  private readonly store: EventStore;
  private readonly masterKey: Buffer;
  private readonly cache: LRUCache<string, Buffer | 'destroyed'>;
  private readonly obtaining = new Map<string, Promise<Buffer>>();
  private readonly destroyedListeners = new Set<DestroyedListener>();
  private readonly destroySteps = new Set<(subject: string) => Promise<void>>();

  private constructor({ store, masterKey, cacheMilliseconds = 60_000 }: SubjectKeysOptions) {
    this.store = store;
    this.masterKey = masterKey;
    this.pseudonyms = new Pseudonyms(masterKey);
    this.credentialHashes = new CredentialHashes(masterKey);
    this.cache = new LRUCache({ maxSize: MAX_CACHED_KEYS, sizeCalculation: () => 1, ttl: cacheMilliseconds });
    // The log may be another copy with other keys. Text sealed with a key that it lacks could never be opened.
    store.onInterruption(() => this.cache.clear());
  }

  /** @throws WrongMasterKey this log was sealed with another master key */
  static async open(options: SubjectKeysOptions): Promise<SubjectKeys> {
    await confirmMasterKey(options.store, options.masterKey);
    return new SubjectKeys(options);
  }

  /** The key if it is in memory; `null` if it was destroyed; `undefined` if the log must be read. */
  cached(subject: string): Buffer | null | undefined {
    const known = this.cache.get(subject);
    return known === 'destroyed' ? null : known;
  }

  /** The key; `null` if it never existed or was destroyed. @throws WrongMasterKey, EventStoreUnavailable */
  async find(subject: string): Promise<Buffer | null> {
    const known = await this.lookUp(subject);
    return typeof known === 'string' ? null : known;
  }

  /**
   * Returns whether the key was destroyed; a promise if the log must be read. @throws (or rejects with) WrongMasterKey,
   * EventStoreUnavailable
   */
  isDestroyed(subject: string): boolean | Promise<boolean> {
    const known = this.cached(subject);
    return known === undefined ? this.lookUp(subject).then((found) => found === 'destroyed') : known === null;
  }

  /** State in the log now. @throws EventStoreUnavailable */
  async state(subject: string): Promise<KeyState> {
    const [first] = await this.store.readStream(streamOfSubject(subject), { limit: 1 });
    if (!first) return { state: 'never' };
    return first.type === DESTROYED ? { state: 'destroyed', at: first.metadata.time } : { state: 'kept' };
  }

  /** Returns whether a `destroy` of the key has begun in the log, now: nothing may use the key any more. @throws EventStoreUnavailable */
  async isBuried(subject: string): Promise<boolean> {
    return (await this.last(subject))?.type === DESTROYED;
  }

  /** Calls the listener when the log shows that a key was destroyed. Drop everything read with it. Returns a function that stops it. */
  onDestroyed(listener: DestroyedListener): () => void {
    this.destroyedListeners.add(listener);
    return () => this.destroyedListeners.delete(listener);
  }

  /**
   * Adds a step to every `destroy` of this process: it removes the subject's data elsewhere before the key is deleted. It may be repeated.
   */
  onDestroy(step: (subject: string) => Promise<void>): void {
    this.destroySteps.add(step);
  }

  /** Drops all cached keys; each is read from the log again. */
  forgetAll(): void {
    this.cache.clear();
    for (const listener of this.destroyedListeners) listener(undefined);
  }

  /** Records that some process has destroyed the key. */
  noteDestroyed(subject: string): void {
    this.cache.set(subject, 'destroyed');
    for (const listener of this.destroyedListeners) listener(subject);
  }

  /** The key, created if missing. @throws SubjectKeyDestroyed, WrongMasterKey, EventStoreUnavailable, AppendOutcomeUnknown */
  obtain(subject: string): Promise<Buffer> {
    return getOrInsert(this.obtaining, subject, () => this.findOrCreate(subject).finally(() => this.obtaining.delete(subject)));
  }

  /**
   * Makes everything sealed for the subject permanently unreadable. Repeating it is safe. A subject without a key never gets one
   * afterwards. `cause`: the event that erases it; default: none, for a list of erasures.
   */
  async destroy(subject: string, cause: Cause | null = null): Promise<void> {
    const tombstone = await this.bury(subject, cause);
    this.noteDestroyed(subject);
    for (const step of this.destroySteps) await step(subject);
    await this.store.truncate(streamOfSubject(subject), tombstone);
  }

  /**
   * Revision of the tombstone that stays in the stream: it distinguishes "destroyed" from "never created", and makes a racing `obtain`
   * fail.
   */
  private async bury(subject: string, cause: Cause | null): Promise<bigint> {
    for (let attempt = 1; ; attempt++) {
      const last = await this.last(subject);
      if (last?.type === DESTROYED) return last.revision;
      try {
        const { revision } = await this.store.append(
          streamOfSubject(subject),
          [keyEvent(DESTROYED, { subject }, cause)],
          last?.revision ?? 'no-stream',
        );
        return revision;
      } catch (error) {
        const undecided = error instanceof WrongExpectedRevision || error instanceof AppendOutcomeUnknown;
        if (!undecided || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private async findOrCreate(subject: string): Promise<Buffer> {
    let expected: ExpectedRevision = 'no-stream';
    for (let attempt = 1; ; attempt++) {
      const known = await this.lookUp(subject);
      if (known === 'destroyed') throw new SubjectKeyDestroyed(subject);
      if (known !== 'never') return known;
      try {
        return await this.create(subject, expected);
      } catch (error) {
        // An event without a key was written by another program.
        if (error instanceof WrongExpectedRevision) expected = error.actual;
        // Another node may have been first, or the key may have been written after all: the log decides.
        const undecided = error instanceof WrongExpectedRevision || error instanceof AppendOutcomeUnknown;
        if (!undecided || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private async create(subject: string, expected: ExpectedRevision): Promise<Buffer> {
    const key = randomBytes(KEY_BYTES);
    const wrapped = seal(this.masterKey, key, wrapping(subject));
    await this.store.append(streamOfSubject(subject), [keyEvent('SubjectKeyCreated', { subject, wrapped })], expected);
    return this.remember(subject, key);
  }

  private async lookUp(subject: string): Promise<Buffer | 'destroyed' | 'never'> {
    const cached = this.cache.get(subject);
    if (cached) return cached;
    const last = await this.last(subject);
    if (!last) return 'never';
    return this.remember(subject, last.type === DESTROYED ? 'destroyed' : this.unwrap(subject, last));
  }

  private async last(subject: string): Promise<RecordedEvent | undefined> {
    const [last] = await this.store.readStream(streamOfSubject(subject), { direction: 'backwards', limit: 1 });
    return last;
  }

  private unwrap(subject: string, created: RecordedEvent): Buffer {
    try {
      return unseal(this.masterKey, String(created.data.wrapped), wrapping(subject));
    } catch (cause) {
      throw new WrongMasterKey(`the key of ${subject} does not open: wrong master key, or an altered log`, { cause });
    }
  }

  /** A read that began before a `destroy` must not cache the key again. */
  private remember<Known extends Buffer | 'destroyed'>(subject: string, known: Known): Known {
    if (this.cache.peek(subject) !== 'destroyed') this.cache.set(subject, known);
    return known;
  }
}

const wrapping = (subject: string): string => `subject key\n${subject}`;
