import { ALL_PARTITIONS } from '#domain/operations/projection-operations.js';
import type { Position } from '#domain/shared/events.js';
import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { SetAside, type SetAsideGroup } from './set-aside.js';
import { readSetAside } from './set-aside-documents.js';

/** The set-aside state with its marks. */
export type KnownSetAside = Readonly<{ setAside: SetAside; marks: string }>;

const NOTHING: KnownSetAside = { setAside: SetAside.NONE, marks: '' };

/** Known set-aside partitions in the served documents of one projection, and the requests of operators to resume them. */
export class SetAsideTracker {
  private latest: KnownSetAside | null = null;
  private announced: string | null = null;
  private readonly listeners = new Set<() => void>();
  /** Partition → position of the newest request. */
  private readonly requests = new Map<string, Position>();

  /** The known state; until it is known, nothing counts as set aside. */
  get known(): KnownSetAside {
    return this.latest ?? NOTHING;
  }

  /** True if it is known that nothing is set aside. */
  get isClear(): boolean {
    return this.latest?.setAside.isEmpty === true;
  }

  get isKnown(): boolean {
    return this.latest !== null;
  }

  take(known: KnownSetAside): void {
    const hasChanged = this.latest?.setAside !== known.setAside;
    this.latest = known;
    if (hasChanged) this.report();
  }

  /** Records a request of an operator, made in the log at the position, to resume a partition or {@link ALL_PARTITIONS}. */
  request(partition: string, position: Position): void {
    this.requests.set(partition, position);
    this.report();
  }

  /** The log may be another one: its requests are read again. */
  forgetRequests(): void {
    this.requests.clear();
  }

  /** Groups whose resumption was requested after they failed and is not carried out yet, as they are once it begins. */
  get requested(): readonly SetAsideGroup[] {
    if (this.requests.size === 0) return [];
    return [...this.known.setAside.groups.values()].flatMap((group) => {
      const asked = this.newestRequest(group);
      return asked > (group.asked ?? group.failure.position) ? [{ ...group, resuming: true, asked }] : [];
    });
  }

  /**
   * Announces the marks of this process's own commit: its maker updates the tracker, even if the commit is reported first. `null`: that
   * commit is over.
   */
  announce(marks: string | null): void {
    this.announced = marks === this.known.marks ? null : marks;
  }

  /** Returns whether these marks are neither known nor announced. */
  isUnknown(marks: string): boolean {
    return this.latest === null || (marks !== this.latest.marks && marks !== this.announced);
  }

  isAnnounced(marks: string): boolean {
    return marks === this.announced;
  }

  /** @throws NamespaceGone, ReadStoreUnavailable */
  async load(store: Pick<ReadStore, 'marks' | 'documents'>, namespace: Namespace): Promise<void> {
    this.take(await readSetAside(store, namespace));
  }

  private newestRequest({ partitions }: SetAsideGroup): Position {
    const requests = [ALL_PARTITIONS, ...partitions.keys()].map((partition) => this.requests.get(partition) ?? 0n);
    return requests.reduce((newest: Position, position: Position) => (position > newest ? position : newest));
  }

  private report(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls the listener after every change. Returns a function that removes it. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Resolves once the condition holds, or on the signal. */
  until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!signal.aborted && !condition()) return;
        stop();
        signal.removeEventListener('abort', look);
        resolve();
      };
      const stop = this.listen(look);
      signal.addEventListener('abort', look);
      look();
    });
  }
}
