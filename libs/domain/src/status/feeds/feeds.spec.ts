import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type Feed, type FeedEvent, feeds, streamOfFeed } from './feeds.js';

const given = deciderSpec(feeds);
const of = (...tenants: readonly string[]): Feed => ({ kind: 'data', feed: { tenants } });
const replaced = (feed: Feed): FeedEvent => ({ type: 'FeedReplaced', data: { tenantId: 't', ...feed } });
const replace = (by: Feed) => ({ type: 'ReplaceFeed', tenantId: 't', by }) as const;

describe('feeds', () => {
  it('are replaced as a whole', () => {
    given()
      .when(replace(of('a')))
      .then(replaced(of('a')));
    given(replaced(of('a')))
      .when(replace(of('b')))
      .then(replaced(of('b')));
  });
  it('record nothing if they are unchanged', () =>
    given(replaced(of('b')), replaced(of('a')))
      .when(replace(of('a')))
      .then());
  it('of data record that the consent of the tenants is required', () =>
    given()
      .when({ ...replace(of('a')), asked: true })
      .then({ type: 'FeedReplaced', data: { tenantId: 't', ...of('a'), asked: true } }));
  it('have one stream per kind and tenant', () => expect(streamOfFeed('t', 'data')).toBe('status.feeds-t.data'));
});
