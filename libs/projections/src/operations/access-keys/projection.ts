import { ACCESS_KEYS_CATEGORY, ACCESS_KEYS_STREAM, type AccessKeyEvent } from '#domain/operations/access-keys.js';
import { byMember } from '#projections/shared/partitions.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { ACCESS_KEYS, keys, keysByHash } from './documents.js';

/** The excluded events do not change keys. */
type Handled = Exclude<AccessKeyEvent, { type: 'AccessKeysListed' | 'AccessKeyCallRefused' }>;
type Issued = Extract<AccessKeyEvent, { type: 'AccessKeyIssued' }>;
type Revoked = Extract<AccessKeyEvent, { type: 'AccessKeyRevoked' }>;

/** The keys in force, by id and by hash. */
export const accessKeysProjection = readModel<Handled>(
  {
    name: ACCESS_KEYS,
    version: 3,
    readsFrom: 2, // documents of version 1 have hashes without a key
    service: 'ops',
    needed: { fixed: [ACCESS_KEYS_STREAM] },
    categories: [ACCESS_KEYS_CATEGORY],
    collections: [keys, keysByHash],
    partitionsOf: (event) => byMember(event, { keyId: 'key' }),
  },
  {
    AccessKeyIssued: reading(
      ({ data }: EventOf<Issued>) => ({ before: keys.at(data.keyId) }),
      ({ data, metadata }, { before }) => {
        const document = { ...data, issuedAt: metadata.time };
        // An id identifies one key. In a log of another installation it may occur twice, and one of the two could never be revoked.
        const replaced = before && before.keyHash !== data.keyHash ? [keysByHash.remove(before.keyHash)] : [];
        return [...replaced, keys.put(data.keyId, document), keysByHash.put(data.keyHash, document)];
      },
    ),
    AccessKeyRevoked: reading(
      ({ data }: EventOf<Revoked>) => ({ key: keys.at(data.keyId) }),
      ({ data }, { key }) => {
        if (!key) throw new Error(`there is no key ${data.keyId}`);
        return [keys.remove(data.keyId), keysByHash.remove(key.keyHash)];
      },
    ),
  },
);
