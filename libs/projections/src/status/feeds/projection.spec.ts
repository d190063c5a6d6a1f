import { describe, it } from '@jest/globals';
import { projectionSpec } from '#test/support/projection-spec.js';
import { feedsProjection } from './projection.js';

const feed = (kind: string, tenants: readonly string[], more: object = {}) => ({
  stream: `status.feeds-t.${kind}`,
  type: 'FeedReplaced',
  data: { tenantId: 't', kind, feed: { tenants }, ...more },
});
const asked = { asked: true };

describe('data feeds', () => {
  const given = projectionSpec(feedsProjection);

  it('with tenants from before consent was required count as agreed, even if the feed is replaced', () => {
    given(feed('data', ['a', 'b'])).thenCollections({ feeds: { 't/data': { tenants: ['a', 'b'], agreed: ['a', 'b'] } } });
    given(feed('data', ['a', 'b']), feed('data', ['b', 'c'], asked)).thenCollections({
      feeds: { 't/data': { tenants: ['b', 'c'], agreed: ['a', 'b'] } },
    });
  });

  it('without consent have no effect', () =>
    given(feed('data', ['a'], asked), feed('readers', ['r'])).thenCollections({
      feeds: { 't/data': { tenants: ['a'] }, 't/readers': { tenants: ['r'] } },
    }));
});
