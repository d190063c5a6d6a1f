import { CheckpointConflict, type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';

/** The namespace of something that is no projection but kept like one, such as a lease; made when it is first asked for. */
export const ownNamespace = async (store: ReadStore, name: string): Promise<Namespace> => {
  for (;;) {
    const served = await store.served(name);
    if (served) return served;
    try {
      await store.serve(await store.prepare(name, 1));
    } catch (error) {
      // Another process makes one too: whichever is served at last is the right one.
      if (!(error instanceof NamespaceGone) && !(error instanceof CheckpointConflict)) throw error;
    }
  }
};
