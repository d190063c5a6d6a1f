import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { SetAside } from './set-aside.js';
import { readSetAside } from './set-aside-documents.js';

/** The set-aside state with its marks. */
export type KnownSetAside = Readonly<{ setAside: SetAside; marks: string }>;

const NOTHING: KnownSetAside = { setAside: SetAside.NONE, marks: '' };

/** Known set-aside partitions in the served documents of one projection. */
export class SetAsideTracker {
  private latest: KnownSetAside | null = null;
  private announced: string | null = null;
  private readonly listeners = new Set<() => void>();

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

  private report(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls the listener after every change. Returns a function that removes it. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
