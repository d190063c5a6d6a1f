import type { Position } from '#domain/shared/events.js';
import type { CommitListener, Namespace, ReadStore, ReadView, ServedBuild, StoreUsage } from '#projections/shared/read-store.js';

/** Passes every call on to another read store. Subclasses override what they change. */
export class DelegatingReadStore implements ReadStore {
  constructor(protected readonly inner: ReadStore) {}

  get volatile(): boolean {
    return this.inner.volatile ?? false;
  }

  get isAlone(): boolean {
    return this.inner.isAlone ?? false;
  }

  view(projection: string, floor?: () => Position): ReadView {
    return this.inner.view(projection, floor);
  }

  documents(namespace: Namespace): ReadView {
    return this.inner.documents(namespace);
  }

  collections(namespace: Namespace): Promise<readonly string[]> {
    return this.inner.collections(namespace);
  }

  served(projection: string): Promise<Namespace | null> {
    return this.inner.served(projection);
  }

  standing(projection: string): Promise<ServedBuild | null> {
    return this.inner.standing(projection);
  }

  prepare(projection: string, version: number): Promise<Namespace> {
    return this.inner.prepare(projection, version);
  }

  serve(namespace: Namespace, instead?: Namespace): Promise<void> {
    return this.inner.serve(namespace, instead);
  }

  checkpoint(namespace: Namespace): Promise<Position> {
    return this.inner.checkpoint(namespace);
  }

  progress(namespace: Namespace): ReturnType<ReadStore['progress']> {
    return this.inner.progress(namespace);
  }

  commit(...commit: Parameters<ReadStore['commit']>): Promise<void> {
    return this.inner.commit(...commit);
  }

  commitSoon(...commit: Parameters<ReadStore['commitSoon']>): Promise<void> {
    return this.inner.commitSoon(...commit);
  }

  flush(): Promise<void> {
    return this.inner.flush();
  }

  onCommit(projection: string, listener: CommitListener): () => void {
    return this.inner.onCommit(projection, listener);
  }

  keepsPast(projection: string): boolean {
    return this.inner.keepsPast?.(projection) ?? false;
  }

  isOutdated(namespace: Namespace): boolean {
    return this.inner.isOutdated?.(namespace) ?? false;
  }

  async setFrom(namespace: Namespace, from: Position): Promise<void> {
    await this.inner.setFrom?.(namespace, from);
  }

  size(projection: string): Promise<Readonly<{ documents: number; bytes: number | null }>> {
    return this.inner.size(projection);
  }

  async usage(): Promise<StoreUsage | null> {
    return (await this.inner.usage?.()) ?? null;
  }

  trouble(): Promise<string | null> {
    return this.inner.trouble();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
