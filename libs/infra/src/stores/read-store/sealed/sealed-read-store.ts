import type { Position } from '#domain/shared/events.js';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import type { Namespace, ReadStore, ReadView } from '#projections/shared/read-store.js';
import type { SealedDocuments } from './sealed-documents.js';

/**
 * Keeps documents sealed in any read store. In addition to the store's errors, reads and commits of sealed collections throw
 * EventStoreUnavailable and WrongMasterKey, because the keys are in the log.
 */
export class SealedReadStore extends DelegatingReadStore {
  constructor(
    store: ReadStore,
    private readonly sealing: SealedDocuments,
  ) {
    super(store);
  }

  override view(projection: string, floor?: () => Position): ReadView {
    return this.sealing.opened(this.inner.view(projection, floor), projection);
  }

  override documents(namespace: Namespace): ReadView {
    return this.sealing.opened(this.inner.documents(namespace), namespace.projection, 'erased');
  }

  override async commit(...[namespace, changes, ...rest]: Parameters<ReadStore['commit']>): Promise<void> {
    await this.inner.commit(namespace, await this.sealing.sealed(namespace.projection, changes), ...rest);
  }

  override async commitSoon(...[namespace, changes, ...rest]: Parameters<ReadStore['commitSoon']>): Promise<void> {
    await this.inner.commitSoon(namespace, await this.sealing.sealed(namespace.projection, changes), ...rest);
  }
}
