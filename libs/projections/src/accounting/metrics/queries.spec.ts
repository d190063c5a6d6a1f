import { expect, it, jest } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { PAGE } from '#projections/shared/pages.js';
import { memoryView } from '#test/support/memory-view.js';
import { recordedOn } from './documents.js';
import { MetricQueries } from './queries.js';

it('counts the metrics of a span of days in all projects, page by page', async () => {
  const days = ['2031-03-01', '2031-03-02', '2031-03-03'] as const;
  const keys = Array.from({ length: PAGE.limit }, (_, number) =>
    days.map((day) => recordedOn.key({ projectId: `p${number}`, day })),
  ).flat();
  const view = memoryView({ [recordedOn.name]: Object.fromEntries(keys.map((key) => [key, '2'])) });
  const read = jest.spyOn(view, 'range');
  const queries = new MetricQueries({ view: () => view });
  const counted = (isPointless: boolean) => queries.recordedBetween(days[0], days[2], { slice: new TimeSlice(), isPointless });
  expect([await counted(false), await counted(true)]).toEqual([4 * PAGE.limit, 0]);
  expect(read.mock.calls.map(([, range]) => range.limit)).toEqual([PAGE.limit, PAGE.limit, PAGE.limit, PAGE.limit, PAGE.limit]);
});
