import { expect, it } from '@jest/globals';
import { callQueryOf, filtersIn } from './filters.js';

it('Days of filters are included', () => {
  const filters = filtersIn(new URLSearchParams('service=status&text= &reads=true&from=2026-03-01&to=2026-03-31'));
  expect(filters).toEqual({ service: 'status', reads: 'true', from: '2026-03-01', to: '2026-03-31' });
  expect(callQueryOf(filters)).toEqual({
    service: 'status',
    reads: true,
    traffic: false,
    from: '2026-03-01T00:00:00.000Z',
    to: '2026-04-01T00:00:00.000Z',
  });
});

it('Days that the calendar does not have are left to the server to refuse, and the last day of all has no end', () => {
  expect(callQueryOf({ from: '2026-02-30', to: '2026-04-31' })).toMatchObject({ from: '2026-02-30', to: '2026-04-31' });
  expect(callQueryOf({ to: '9999-12-31' }).to).toBeUndefined();
});
