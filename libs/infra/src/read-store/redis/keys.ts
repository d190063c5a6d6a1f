import type { Namespace } from '#projections/shared/read-store.js';

/**
 * The keys of one projection. All of them share one hash tag, so that Redis Cluster keeps them on one node and a script may touch them together.
 *
 * `meta` is a hash: `generation` (last one given out), `served` (a slot), and for each slot that holds a build `<slot>.generation`,
 * `<slot>.version`, `<slot>.checkpoint`, `<slot>.marks`, `<slot>.documents`, `<slot>.origin` if there is one. Per slot and collection there is a hash of the documents, and a sorted set of their
 * keys, all with score 0: Redis sorts those by their bytes. `collections` is the set of the collections of a slot.
 */
export class ProjectionKeys {
  readonly meta: string;
  /** Channel on which the new checkpoint is published, with the marks behind a blank; not a key. */
  readonly channel: string;
  private readonly base: string;

  constructor(keyPrefix: string, projection: string) {
    this.base = `${keyPrefix}:{${projection}}`;
    this.meta = `${this.base}:meta`;
    this.channel = `${this.base}:commits`;
  }

  collections(slot: Namespace['slot']): string {
    return `${this.base}:${slot}`;
  }

  documents(slot: Namespace['slot'], collection: string): string {
    return `${this.base}:${slot}:documents:${collection}`;
  }

  index(slot: Namespace['slot'], collection: string): string {
    return `${this.base}:${slot}:index:${collection}`;
  }
}
