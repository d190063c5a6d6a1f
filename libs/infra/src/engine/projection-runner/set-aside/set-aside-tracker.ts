import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { SetAside } from './set-aside.js';
import { readSetAside } from './set-aside-documents.js';

/** The set-aside state with its token. */
export type KnownSetAside = Readonly<{ setAside: SetAside; token: string }>;

const NOTHING: KnownSetAside = { setAside: SetAside.NONE, token: '' };

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
   * Announces the token of this process's own commit: its maker updates the tracker, even if the commit is reported first. `null`: that
   * commit is over.
   */
  announce(token: string | null): void {
    this.announced = token === this.known.token ? null : token;
  }

  /** Returns whether this token is neither known nor announced. */
  isUnknown(token: string): boolean {
    return this.latest === null || (token !== this.latest.token && token !== this.announced);
  }

  isAnnounced(token: string): boolean {
    return token === this.announced;
  }

  /** @throws NamespaceGone, ReadStoreUnavailable */
  async load(store: Pick<ReadStore, 'progress' | 'documents'>, namespace: Namespace): Promise<void> {
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
