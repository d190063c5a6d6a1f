import type { Feed } from '#domain/status/feeds/feeds.js';
import { type Fields, textIn, textsIn } from '#operator/migrate/read/fields.js';

/** How each collection of feeds is read; there is one document in each. They throw WrongField. */
export const feedKinds: Readonly<Record<'feeds_topology' | 'feeds_weights' | 'feeds_data', (fields: Fields) => Feed>> = {
  feeds_topology: (fields) => ({
    kind: 'topology',
    feed: {
      type: textIn(fields, 'type'),
      feed_url: textIn(fields, 'feed_url'),
      paginated: textIn(fields, 'paginated'),
      fetch_type: textsIn(fields, 'fetch_type'),
      uid_endpoints: textIn(fields, 'uid_endpoints'),
    },
  }),
  feeds_weights: (fields) => ({
    kind: 'weights',
    feed: {
      type: textIn(fields, 'type'),
      feed_url: textIn(fields, 'feed_url'),
      weight_type: textIn(fields, 'weight_type'),
      group_type: textIn(fields, 'group_type'),
    },
  }),
  feeds_data: (fields) => ({ kind: 'data', feed: { tenants: textsIn(fields, 'tenants') } }),
};
