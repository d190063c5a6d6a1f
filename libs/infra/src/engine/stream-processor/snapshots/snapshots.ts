import { randomUUID } from 'node:crypto';
import type { KeyUse } from '#infra/engine/stream-processor/used-keys.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { atomically } from '#infra/platform/coordination/own-namespace.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { within } from '#infra/platform/scheduling/within.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { Change, ReadStore } from '#projections/shared/read-store.js';
import { KeyDocuments, type StoredKeys } from './key-documents.js';
import { type SavedStream, saveStream } from './save-stream.js';
import { type Folding, type FoundState, SNAPSHOTS, SnapshotDocuments } from './snapshot-documents.js';

type SnapshotOptions = Readonly<{
  store: ReadStore;
  masterKey: Buffer;
  keys: Pick<SubjectKeys, 'isBuried' | 'noteDestroyed' | 'onDestroy'>;
  log: Pick<Logger, 'warn'>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  /** Pause of writes after a failure. Default 10,000. */
  pauseMs?: number;
}>;

/** Maximum time that a command waits for a snapshot, which only saves time. */
const FIND_MS = 1_000;
/** Maximum number of streams waiting to be written; others return with their next command. */
const MOST_WAITING = 16;

/** Interval between removals of expired keys. */
const CLEANING_MS = 24 * 3_600_000;

/** Counts since the start. */
type SnapshotMetrics = { written: number; failed: number };

/**
 * Folded states and idempotency keys of long streams, stored beside the log in the read store. They are a cache: lost, old or damaged ones
 * only cost time. They are written in the background, one stream at a time; no command waits for that.
 *
 * A state may contain data that the log seals. Before the key of a subject is destroyed, the states with data of it are removed, and the
 * checkpoint of the namespace, which counts erasures, is moved, so that concurrent writes are refused.
 */
export class Snapshots {
  readonly metrics: SnapshotMetrics = { written: 0, failed: 0 };
  private readonly states: SnapshotDocuments;
  private readonly keyed: KeyDocuments;
  private readonly waiting = new Set<SavedStream>();
  private writing: Promise<void> = Promise.resolve();
  private readonly forgetting = new Set<string>();
  private forgotten: Promise<void> | undefined;
  /** Subjects that were not erased as of this token. Every erasure changes it. */
  private readonly unerased = { token: '', subjects: new Set<string>() };
  private pausedUntil = 0;
  /** Time of the last removal of expired keys, in milliseconds since 1970-01-01 UTC. */
  private cleanedAt = 0;
  private closed = false;

  constructor(private readonly options: SnapshotOptions) {
    this.states = new SnapshotDocuments(options.store, options.masterKey);
    this.keyed = new KeyDocuments(options.store);
    options.keys.onDestroy((subject) => this.forget(subject));
  }

  /** A stored state. The caller must check that it comes from this log. Never fails. */
  async findState(folding: Folding): Promise<FoundState | undefined> {
    return await inTime(this.states.find(folding));
  }

  /** Stored idempotency keys of a stream, under the same conditions. */
  async findKeys(stream: string): Promise<StoredKeys | undefined> {
    return await inTime(this.keyed.find(stream));
  }

  /** Known use of a key of a segment. @throws ReadStoreUnavailable */
  async use(stream: string, segment: number, key: string): Promise<KeyUse | undefined> {
    return await this.keyed.use(stream, segment, key);
  }

  /** Writes the stream soon if it is due. Must be called when its state includes only events in the log. */
  consider(stream: SavedStream): void {
    if (this.closed || !stream.isDue || this.waiting.has(stream) || this.waiting.size >= MOST_WAITING) return;
    if (performance.now() < this.pausedUntil) return;
    this.waiting.add(stream);
    const captured = attempt(() => stream.capture());
    this.soon(async () => {
      try {
        await this.write(stream, captured());
        await this.clean();
      } finally {
        this.waiting.delete(stream);
      }
    });
  }

  /** Removes the idempotency keys of streams that have ended, in the background. Those that stay are removed once they have expired. */
  drop(...streams: readonly string[]): void {
    this.soon(async () => {
      for (const stream of streams) await this.remove(await this.keyed.removal(stream));
    });
  }

  /** Resolves when everything due has been written or has failed. */
  async settled(): Promise<void> {
    await this.writing;
  }

  /** Stops writing. Resolves when the store is no longer used. */
  async close(): Promise<void> {
    this.closed = true;
    await this.writing;
    await this.forgotten?.catch(() => undefined);
  }

  private soon(work: () => Promise<void>): void {
    this.writing = this.writing.then(async () => {
      try {
        if (!this.closed) await work();
      } catch (error) {
        this.failed(error);
      }
    });
  }

  private failed(error: unknown): void {
    this.metrics.failed += 1;
    this.pausedUntil = performance.now() + (this.options.pauseMs ?? 10_000);
    this.options.log.warn({ err: error }, 'snapshots of streams cannot be written now: after a restart their first commands take longer');
  }

  private async write(stream: SavedStream, captured: ReturnType<SavedStream['capture']>): Promise<void> {
    const { states, keyed, options } = this;
    await atomically(options.store, SNAPSHOTS, async (namespace, checkpoint) => {
      const { token } = await options.store.progress(namespace); // an erasure after the checkpoint has moved that
      if (this.unerased.token !== token) this.unerased.subjects.clear();
      this.unerased.token = token;
      const known = this.unerased.subjects;
      const saved = await saveStream(stream, captured, { states, keyed, keys: options.keys, known, now: options.now });
      await options.store.commit(namespace, saved.changes, checkpoint, checkpoint, undefined, token === '' ? randomUUID() : undefined);
      // Nodes of 1.0.0 change the token alone when they erase something.
      if (token !== '' && (await options.store.progress(namespace)).token !== token) {
        const written = saved.changes.flatMap((change) => (change.kind === 'put' ? [{ ...change, kind: 'delete' as const }] : []));
        return await options.store.commit(namespace, written, checkpoint, checkpoint);
      }
      saved.done();
      this.metrics.written += 1;
    });
  }

  /** Removes expired keys of streams that nobody writes to any more. */
  private async clean(): Promise<void> {
    const now = this.options.now();
    if (now - this.cleanedAt < CLEANING_MS) return;
    this.cleanedAt = now;
    for await (const changes of this.keyed.expired(now)) {
      if (this.closed) return;
      await this.remove(changes); // at once: another node may write to the stream
      await nextTurn();
    }
  }

  private async remove(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const { store } = this.options;
    await atomically(store, SNAPSHOTS, (namespace, checkpoint) => store.commit(namespace, changes, checkpoint, checkpoint));
  }

  /** Removes the states with data of a subject. Simultaneous calls are combined. @throws ReadStoreUnavailable */
  private forget(subject: string): Promise<void> {
    this.forgetting.add(subject);
    this.forgotten ??= Promise.resolve().then(async () => {
      const subjects = new Set(this.forgetting);
      this.forgetting.clear();
      this.forgotten = undefined;
      const { store } = this.options;
      await atomically(store, SNAPSHOTS, async (namespace, checkpoint) => {
        const next = checkpoint + 1n;
        await store.commit(namespace, [], checkpoint, next, undefined, randomUUID()); // refuses writes that have begun, which the removal would miss
        const changes: readonly Change[] = await this.states.removalOf(subjects);
        await store.commit(namespace, changes, next, next);
      });
    });
    return this.forgotten;
  }
}

/** Does the work now; the returned function returns its result or throws its error, so that the caller itself does not fail. */
const attempt = <Result>(work: () => Result): (() => Result) => {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
};

/** Returns `undefined`, too, if the store fails or does not answer in time. */
const inTime = <Found>(finding: Promise<Found | undefined>): Promise<Found | undefined> => {
  const unknown = (): undefined => undefined;
  return within(FIND_MS, finding.catch(unknown), unknown);
};
