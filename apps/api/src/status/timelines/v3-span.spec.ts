import { describe, expect, it } from '@jest/globals';
import { StatusError } from '#api/status/errors.js';
import { v3Span } from './v3-span.js';

const [START, END] = ['2026-05-01T10:00:00Z', '2026-05-02T00:00:00Z'];

const said = (query: Readonly<Record<string, unknown>>): unknown => {
  try {
    return v3Span(query);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { errors } = error.body as { errors: readonly { details: string }[] };
    return [error.statusCode, error.jsonOnly, ...errors.map(({ details }) => details)];
  }
};
const unreadable = (parameter: string, value: string) => [
  400,
  true,
  `Error parsing ${parameter}=${value} - please use zulu format like 2006-01-02T15:04:05Z`,
];

describe('the times of a call for statuses of version 3', () => {
  it.each([
    [{}, undefined],
    [{ start_time: '', end_time: '', view: 'latest' }, undefined],
    [
      { start_time: START, end_time: END },
      { from: '2026-05-01', to: '2026-05-02' },
    ],
    [
      { start_time: [START, 'x'], end_time: END, view: 'details' },
      { from: '2026-05-01', to: '2026-05-02' },
    ],
    [{ end_time: END }, unreadable('start_time', '')],
    [{ start_time: START }, unreadable('end_time', '')],
    [{ start_time: 'a', end_time: 'b', view: 'latest' }, unreadable('start_time', 'a')],
    [{ start_time: START, end_time: '2026-02-30T00:00:00Z' }, unreadable('end_time', '2026-02-30T00:00:00Z')],
    [
      { start_time: START, end_time: END, view: 'latest' },
      [400, true, 'Parameter view=latest should not be used when specifing start_time and end_time period'],
    ],
  ])('%j', (query, expected) => expect(said(query)).toEqual(expected));
});
