import type { ReadStore, ReadView } from './read-store.js';

/** The base of what is asked of a read model: its documents as they are served. */
export const queriesOf = (readModel: string) =>
  class {
    protected readonly view: ReadView;

    constructor(store: Pick<ReadStore, 'view'>) {
      this.view = store.view(readModel);
    }
  };

/** The same of a read model whose changes others wait for. */
export const observedQueriesOf = (readModel: string) =>
  class extends queriesOf(readModel) {
    constructor(protected readonly store: ReadStore) {
      super(store);
    }

    /** Calls the listener after every change of the read model, until the returned function is called. */
    onCommit(listener: () => void): () => void {
      return this.store.onCommit(readModel, listener);
    }
  };
