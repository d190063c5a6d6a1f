import { describe, expect, it } from '@jest/globals';
import { instantOf } from '../../parts/instant.js';
import { callQueryOf, filtersIn, queryOf } from './filters.js';

describe('The filters of events', () => {
  it('stand in the query as /audit/events takes them, and come back from it', () => {
    const filters = {
      stream: ' status.tenants-global ',
      type: 'TenantRegistered, TenantDeleted',
      from: '2026-03-01',
      to: '2026-03-02 12:30',
    };
    const query = queryOf(filters);
    expect(`${query}`).toBe(
      'stream=status.tenants-global&type=TenantRegistered&type=TenantDeleted&from=2026-03-01T00%3A00%3A00Z&to=2026-03-02T12%3A30%3A00Z',
    );
    expect(filtersIn(query)).toEqual({
      stream: 'status.tenants-global',
      type: 'TenantRegistered, TenantDeleted',
      from: '2026-03-01T00:00:00Z',
      to: '2026-03-02T12:30:00Z',
    });
    expect(callQueryOf(query).type).toEqual(['TenantRegistered', 'TenantDeleted']);
  });

  it('leave out what is empty, and pass on what they do not know', () => {
    expect(`${queryOf({ actor: ' ', request: 'a b' })}`).toBe('request=a+b');
    expect(instantOf('yesterday')).toBe('yesterday');
    expect(instantOf('2026-03-01T12:00:00.123Z')).toBe('2026-03-01T12:00:00.123Z');
    expect(instantOf('2026-03-01T12:00:01')).toBe('2026-03-01T12:00:01Z');
  });
});
