import { setTimeout as sleep } from 'node:timers/promises';
import { CheckpointConflict, type Namespace, NamespaceGone, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';

const LONGEST_PAUSE_MS = 20;

/** After a namespace that one has begun is gone, as another process has begun it, too: in step, each would throw away for ever what the other has begun. */
export const outOfStep = (signal?: AbortSignal): Promise<void> => sleep(Math.random() * LONGEST_PAUSE_MS, undefined, signal && { signal });

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
      await outOfStep();
    }
  }
};

/** Replaces a namespace whose documents are damaged by an empty one. @throws ReadStoreUnavailable */
export const renewNamespace = async (store: Pick<ReadStore, 'served' | 'prepare' | 'serve'>, name: string): Promise<void> => {
  const damaged = await store.served(name);
  if (damaged) await store.serve(await store.prepare(name, damaged.version), damaged);
};

const MAX_ATTEMPTS = 200;

/**
 * Reads and commits as one step, in a namespace of its own whose checkpoint counts the changes: once more when another process was here in between.
 * @param step commits from `changes` to `changes + 1n`, or not at all @throws ReadStoreUnavailable
 */
export const atomically = async <T>(
  store: ReadStore,
  name: string,
  step: (namespace: Namespace, changes: bigint) => Promise<T>,
): Promise<T> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      const namespace = await ownNamespace(store, name);
      return await step(namespace, await store.checkpoint(namespace));
    } catch (error) {
      if (!(error instanceof CheckpointConflict || error instanceof NamespaceGone)) throw error;
    }
  }
  throw new ReadStoreUnavailable(`${name} changes all the time`);
};
