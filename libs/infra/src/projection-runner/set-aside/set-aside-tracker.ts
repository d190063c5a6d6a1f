import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { SetAside } from './set-aside.js';
import { readSetAside } from './set-aside-documents.js';

/** What is set aside, and the marks that say so. */
export type KnownSetAside = Readonly<{ setAside: SetAside; marks: string }>;

const NOTHING: KnownSetAside = { setAside: SetAside.NONE, marks: '' };

/** What this process knows of the partitions that are set aside in the documents of one projection that are served. */
export class SetAsideTracker {
  private latest: KnownSetAside | null = null;
  private announced: string | null = null;
  private readonly listeners = new Set<() => void>();

  /** Nothing is set aside, as far as is known; nothing known counts as nothing set aside. */
  get known(): KnownSetAside {
    return this.latest ?? NOTHING;
  }

  /** It is known that nothing is set aside. */
  get isClear(): boolean {
    return this.latest?.setAside.isEmpty === true;
  }

  get isKnown(): boolean {
    return this.latest !== null;
  }

  take(known: KnownSetAside): void {
    const news = this.latest?.setAside !== known.setAside;
    this.latest = known;
    if (news) for (const listener of [...this.listeners]) listener();
  }

  /** Our own commit will bring these marks: its maker takes note of it, whoever hears of it first. `null`: that commit is over. */
  announce(marks: string | null): void {
    this.announced = marks === this.known.marks ? null : marks;
  }

  /** Whether these marks are no news: known, or about to be. */
  isUnknown(marks: string): boolean {
    return this.latest === null || (marks !== this.latest.marks && marks !== this.announced);
  }

  isAnnounced(marks: string): boolean {
    return marks === this.announced;
  }

  /** @throws NamespaceGone, ReadStoreUnavailable */
  async load(store: ReadStore, namespace: Namespace): Promise<void> {
    this.take(await readSetAside(store, namespace));
  }

  /** Called after every change. Returns how to stop. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Resolves once the condition holds, or on the signal. */
  until(condition: (setAside: SetAside) => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!signal.aborted && !condition(this.known.setAside)) return;
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
