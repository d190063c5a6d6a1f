import { describe, expect, it } from '@jest/globals';
import { forAny } from '#test/support/for-any.js';
import { groupDays, resultsDays } from '#test/support/results/arbitrary-results.js';
import { packGroup, packSummary, unpackGroup, unpackSummary } from './packing.js';

describe('Results as stored', () => {
  it('are those that were packed', () =>
    forAny(100, resultsDays, (day) => {
      const groups = day.groups.map(({ services: _, ...summary }) => summary);
      expect(unpackSummary(packSummary(day))).toEqual({ ...day, groups });
    }));

  it('are those that were packed, with all that is below a group', () =>
    forAny(100, groupDays, (group) => expect(unpackGroup(packGroup(group))).toEqual(group)));

  it('keep their timelines when they are spread', () => {
    const [timeline, figures] = [
      [
        { at: 0, status: 'OK' },
        { at: 86_399, status: 'a,b.c' },
      ],
      { availability: 99.99884, reliability: -1, unknown: 0, uptime: 1e-5, downtime: 0 },
    ];
    const [group] = unpackSummary(
      packSummary({ day: '2024-01-01', seconds: 1, groups: [{ name: 'g', timeline, flagged: true, figures }], supergroups: [] }),
    ).groups;
    expect({ ...group }).toEqual({ name: 'g', timeline, flagged: true, figures });
    expect(JSON.parse(JSON.stringify(group))).toEqual({ name: 'g', timeline, flagged: true, figures });
  });
});
