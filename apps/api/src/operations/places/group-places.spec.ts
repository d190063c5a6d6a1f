import { expect, it } from '@jest/globals';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import { groupPlaces } from './group-places.js';

const groups = [
  { name: 'SITE-A', hosts: ['h1.example.org', 'h2.example.org'], text: 'site-a\nh1.example.org\nh2.example.org' },
  { name: 'SITE-B', hosts: [], text: 'site-b' },
];
const reader = (name: string): Pick<ReportReader, 'name' | 'now' | 'disabled' | 'names'> => ({
  ...{ name, now: 0, disabled: false },
  names: async (day) => (day === '1970-01-01' ? groups : []),
});
const sources = {
  tenants: {
    async *byCreation() {
      yield [{ id: 't', order: '0', info: { name: 'Grid' } }] as never;
    },
  },
  reports: { names: async () => ['daily', 'weekly'] },
  results: { report: async (_: string, name: string) => reader(name) as ReportReader },
};
const pagesOf = async (...words: readonly string[]) => {
  const pages: (readonly string[])[] = [];
  for await (const page of groupPlaces(sources, words)) pages.push(page.map(({ name, place }) => `${name} of ${place}`));
  return pages;
};

it('Places of groups are those with a word in their name, by report, with a page after each report even if nothing fits', async () => {
  expect(await pagesOf('site-b', 'h2')).toEqual([
    ['h2.example.org of SITE-A, daily of Grid'],
    ['SITE-B of daily of Grid'],
    [],
    ['h2.example.org of SITE-A, weekly of Grid'],
    ['SITE-B of weekly of Grid'],
    [],
  ]);
  expect(await pagesOf('nothing')).toEqual([[], []]);
});
