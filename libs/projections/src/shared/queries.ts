import type { ReadStore, ReadView } from './read-store.js';

/** Base class of the queries of a read model, on its served documents. */
export const queriesOf = (readModel: string) =>
  class {
    protected readonly view: ReadView;

    constructor(store: Pick<ReadStore, 'view'>) {
      this.view = store.view(readModel);
    }
  };

/** Like {@link queriesOf}, for a read model whose changes can be observed. */
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
