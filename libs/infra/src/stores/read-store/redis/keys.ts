import type { Namespace } from '#projections/shared/read-store.js';

/**
 * The Redis keys of one projection. They share one hash tag, so that Redis Cluster keeps them on one node and a script can use them
 * together.
 *
 * `meta` is a hash: `generation` (the last one used), `served` (a slot), and for each slot that holds a build `<slot>.generation`,
 * `<slot>.version`, `<slot>.checkpoint`, `<slot>.marks`, `<slot>.documents`, `<slot>.commits` (numbers of documents and commits), and if
 * present `<slot>.origin`, `<slot>.unfinished` (see {@link Unfinished}) and `<slot>.held` (time until which commits wait for a reader). Per
 * slot and collection there is a hash of the documents, and a sorted set of their keys, all with score 0: Redis sorts those by their bytes.
 * A text to which pieces were added continues in further fields of the hash: `<key> 0xff` holds their number, `<key> 0xff <number>` one of them.
 * The field `0xff 0xff` exists if there may be any. A list has no fields for its keys, but the field `0xff 0xfe`, written with the first of them:
 * if the hash is gone, so is the field.
 * `collections` is the set of the collections of a slot, `unfinished` the list of the remaining work of a large commit.
 */
export class ProjectionKeys {
  readonly meta: string;
  /** Channel on which a new checkpoint is published, followed by a space and the token (`<slot>.marks`); not a key. */
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

  unfinished(slot: Namespace['slot']): string {
    return `${this.base}:${slot}:unfinished`;
  }

  /** Parts of a large commit, stored before it. */
  staged(slot: Namespace['slot'], id: string): string {
    return `${this.base}:${slot}:staged:${id}`;
  }

  documents(slot: Namespace['slot'], collection: string): string {
    return `${this.base}:${slot}:documents:${collection}`;
  }

  index(slot: Namespace['slot'], collection: string): string {
    return `${this.base}:${slot}:index:${collection}`;
  }
}
