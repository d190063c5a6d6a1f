import { expect, it } from '@jest/globals';
import { correlationIdOf } from './request-context.js';

const correlation = (given?: string): string =>
  correlationIdOf({ id: 'request', headers: given === undefined ? {} : { 'x-correlation-id': given } });

it.each(['a', 'nightly run 7', '5f1d-4e{}"/\\~', 'x'.repeat(128)])('X-Correlation-Id %j is taken over', (given) =>
  expect(correlation(given)).toBe(given),
);

it.each([undefined, '', 'x'.repeat(129), 'two  blanks', ' before', 'after ', 'tä', 'a\tb', 'a\u0000'])(
  'the request id takes the place of the X-Correlation-Id %j',
  (given) => expect(correlation(given)).toBe('request'),
);
