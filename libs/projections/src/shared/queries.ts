import type { ReadStore, ReadView } from './read-store.js';

/** The base of what is asked of a read model: its documents as they are served. */
export const queriesOf = (readModel: string) =>
  class {
    protected readonly view: ReadView;

    constructor(store: Pick<ReadStore, 'view'>) {
      this.view = store.view(readModel);
    }
  };
