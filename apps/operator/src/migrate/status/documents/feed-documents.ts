import type { Feed } from '#domain/status/feeds/feeds.js';
import { allTextsIn, type Fields, textIn, textsIn } from '#operator/migrate/read/fields.js';

/** Readers by collection of feeds; each collection has one document. They throw WrongField. */
export const feedKinds: Readonly<Record<'feeds_topology' | 'feeds_weights' | 'feeds_data', (fields: Fields) => Feed>> = {
  feeds_topology: (fields) => ({
    kind: 'topology',
    feed: {
      ...allTextsIn(fields, 'type', 'feed_url', 'paginated'),
      fetch_type: textsIn(fields, 'fetch_type'),
      uid_endpoints: textIn(fields, 'uid_endpoints'),
    },
  }),
  feeds_weights: (fields) => ({ kind: 'weights', feed: allTextsIn(fields, 'type', 'feed_url', 'weight_type', 'group_type') }),
  feeds_data: (fields) => ({ kind: 'data', feed: { tenants: textsIn(fields, 'tenants') } }),
};
