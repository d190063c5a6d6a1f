import { expect, it } from '@jest/globals';
import { upTo } from './instant.js';

it('a point of the past is a filter of events that includes it', () => {
  expect(upTo(undefined)).toEqual({});
  expect(upTo('812')).toEqual({ after: '813' });
  expect(upTo('2026-03-10T12:00:00Z')).toEqual({ to: '2026-03-10T12:00:00.001Z' });
  expect(upTo('yesterday')).toEqual({});
});
