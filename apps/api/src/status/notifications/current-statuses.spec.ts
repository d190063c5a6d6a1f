import { describe, expect, it } from '@jest/globals';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import type { Step } from '#domain/status/results/timeline.js';
import { statusesOf } from './current-statuses.js';

const figures = { availability: 0, reliability: 0, unknown: 0, uptime: 0, downtime: 0 };
const row = (...timeline: Step[]) => ({ timeline, flagged: false, figures });
const group = (own: Step[], endpoint: Step[]): GroupDay => ({
  name: 'G',
  ...row(...own),
  services: [{ service: 's', ...row(...endpoint), endpoints: [{ host: 'h', metrics: [], ...row(...endpoint) }] }],
});
const day = (date: string, one: GroupDay): ResultsDay<GroupDay> => ({ day: date, seconds: 1, groups: [one], supergroups: [] });
const [OK, DOWN] = ['OK', 'DOWN'];

describe('current statuses', () => {
  const before = day(
    '2024-01-01',
    group(
      [
        { at: 0, status: DOWN },
        { at: 60, status: OK },
      ],
      [{ at: 0, status: OK }],
    ),
  );
  const only = group(
    [{ at: 0, status: OK }],
    [
      { at: 0, status: OK },
      { at: 3_601, status: DOWN },
    ],
  );
  const today = day('2024-01-02', only);

  it('are those that hold last, since they hold', () =>
    expect(statusesOf(only, { today, before: undefined }, ['group', 'endpoint'])).toEqual([
      { part: '', statuses: [{ service: '', hostname: '', status: OK, since: '2024-01-02T00:00:00Z' }] },
      { part: 'a', statuses: [{ service: 's', hostname: 'h', status: DOWN, since: '2024-01-02T01:00:01Z' }] },
    ]));

  it('may hold since the day before, and are of the levels asked for', () =>
    expect(statusesOf(only, { today, before }, ['group'])).toEqual([
      { part: '', statuses: [{ service: '', hostname: '', status: OK, since: '2024-01-01T00:01:00Z' }] },
    ]));
});
