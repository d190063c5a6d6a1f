import { ACCESS_KEYS_CATEGORY, type AccessKeyEvent, type KeyIssued } from '#domain/operations/access-keys.js';
import { defineProjection } from '#projections/shared/define.js';
import { byMember, firstPart, inMember } from '#projections/shared/partitions.js';
import { type Projection, put, remove } from '#projections/shared/projection.js';

export const ACCESS_KEYS_PROJECTION = 'ops.keys';

export const accessKeyCollections = {
  /** Key id → {@link AccessKeyDocument}. */
  keys: 'keys',
  /** Hash of the key → {@link AccessKeyDocument}. */
  byHash: 'by-hash',
} as const;

export type AccessKeyDocument = KeyIssued & Readonly<{ issuedAt: string }>;

/** The keys in force, by id and by hash. */
export const accessKeysProjection: Projection = defineProjection<AccessKeyEvent>({
  name: ACCESS_KEYS_PROJECTION,
  version: 1,
  service: 'ops',
  categories: [ACCESS_KEYS_CATEGORY],
  handles: ['AccessKeyIssued', 'AccessKeyRevoked'],
  partitions: {
    ofEvent: (event) => byMember(event, { keyId: 'key' }),
    owners: { [accessKeyCollections.keys]: firstPart('key'), [accessKeyCollections.byHash]: inMember('key', 'keyId') },
  },
  reads: ({ type, data }) => (type === 'AccessKeyRevoked' ? [{ collection: accessKeyCollections.keys, key: data.keyId }] : []),
  apply: (event, read) => {
    const { keys, byHash } = accessKeyCollections;
    switch (event.type) {
      case 'AccessKeyIssued': {
        const document: AccessKeyDocument = { ...event.data, issuedAt: event.metadata.time };
        return [put(keys, event.data.keyId, document), put(byHash, event.data.keyHash, document)];
      }
      case 'AccessKeyRevoked': {
        const { keyHash } = read(keys, event.data.keyId) as AccessKeyDocument;
        return [remove(keys, event.data.keyId), remove(byHash, keyHash)];
      }
      case 'AccessKeysListed':
        return [];
    }
  },
});
