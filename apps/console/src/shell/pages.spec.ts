import { describe, expect, it } from '@jest/globals';
import { views } from '../views.js';
import { matched, pageAt } from './pages.js';

describe('The pattern of a page', () => {
  it.each([
    ['/events/:index?', '/events', { parameters: {}, key: '' }],
    ['/events/:index?', '/events/3', { parameters: { index: '3' }, key: '' }],
    ['/m/:project/topics/:name', '/m/a/topics/b%2Fc', { parameters: { project: 'a', name: 'b/c' }, key: 'a/b%2Fc' }],
    ['/m/:project', '/m/%', { parameters: { project: '%' }, key: '%' }],
    ['/m/:project/topics/:name', '/m/a/subscriptions/b', undefined],
    ['/m/:project', '/m', undefined],
    ['/m/:project', '/m/a/b', undefined],
    ['', '', { parameters: {}, key: '' }],
  ])('%s at %j', (pattern, path, found) => expect(matched(pattern, path)).toEqual(found));

  it.each([
    '',
    '/projections/status.reports',
    '/events/3',
    '/resources/status/tenant/a',
    '/actors/a',
    '/integrity/proofs/3',
    '/messaging/p/t',
  ])('is one of a view for %j', (path) => {
    const view = views.findLast(({ path: own }) => path.startsWith(own));
    expect(view && pageAt(view, path)?.load).toBeInstanceOf(Function);
  });
});
