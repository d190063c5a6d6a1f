import { CheckpointConflict, type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';

/** The namespace of something that is kept like a read model but has no projection, such as a lease. Created on first use. */
export const ownNamespace = async (store: ReadStore, name: string): Promise<Namespace> => {
  for (;;) {
    const served = await store.served(name);
    if (served) return served;
    try {
      await store.serve(await store.prepare(name, 1));
    } catch (error) {
      // Another process creates it too. The one that ends up served is the right one.
      if (!(error instanceof NamespaceGone) && !(error instanceof CheckpointConflict)) throw error;
    }
  }
};
