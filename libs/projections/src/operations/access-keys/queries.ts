import { queriesOf } from '#projections/shared/queries.js';
import { ACCESS_KEYS, type AccessKeyDocument, keys, keysByHash } from './documents.js';

export { ACCESS_KEYS, type AccessKeyDocument } from './documents.js';

/** Keys of administrators and operators. */
export class AccessKeyQueries extends queriesOf(ACCESS_KEYS) {
  /** The key in force with this hash. */
  byHash(hash: string): Promise<AccessKeyDocument | undefined> {
    return keysByHash.get(this.view, hash);
  }

  /** All keys in force, oldest first. Those of the same millisecond are ordered by id. */
  async all(): Promise<readonly AccessKeyDocument[]> {
    const documents = await keys.range(this.view, {});
    return [...documents].sort((left, right) => left.issuedAt.localeCompare(right.issuedAt) || left.keyId.localeCompare(right.keyId));
  }
}
