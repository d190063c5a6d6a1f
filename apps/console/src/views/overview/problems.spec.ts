import { describe, expect, it } from '@jest/globals';
import { problemsIn } from './problems.js';

type Overview = Parameters<typeof problemsIn>[0];

const projection = {
  name: 'status.reports',
  service: 'status',
  state: 'live' as const,
  lag: { events: 0, seconds: 0 },
  setAside: { partitions: 0, events: 0 },
  failure: null,
  withheld: null,
  differences: 0,
};
const well: Overview = {
  at: '2026-03-01T12:00:00.000Z',
  stores: { eventLog: null, readStore: null },
  log: { head: '1', events: 1, streams: 1, bytes: 1, rates: null },
  projections: [projection],
  nodes: [],
  chain: { status: 'live', size: 1, lagSeconds: 0, anchorAgeSeconds: null },
  damage: null,
  history: null,
  results: null,
  erasuresFailed: 0,
  deadLettersKept: 0,
  disk: { freeBytes: 100 * 2 ** 30, sizeBytes: 200 * 2 ** 30 },
  services: { isEmpty: false, messaging: null, status: null, lastUsageAt: null, hours: null },
};

const paths = (overview: Overview): readonly string[] => problemsIn(overview).map(({ link }) => link.path);
const what = (overview: Overview): string =>
  problemsIn(overview)
    .map((problem) => [problem.what, problem.figures].join(' '))
    .join(' ');

describe('what somebody has to look at', () => {
  it('is nothing while all is well', () => expect(problemsIn(well)).toEqual([]));

  it.each<[string, Overview, RegExp]>([
    ['a log that takes no writes', { ...well, stores: { ...well.stores, eventLog: 'the disk is full' } }, /event log .* the disk is full/],
    ['read models that do not answer', { ...well, projections: null }, /read models are slow/],
    ['a projection that is stopped', { ...well, projections: [{ ...projection, state: 'stopped', failure: 'bad' }] }, /is stopped: bad/],
    [
      'partitions set aside',
      { ...well, projections: [{ ...projection, setAside: { partitions: 1, events: 2 } }] },
      /set aside 1 partition\. 2 events/,
    ],
    [
      'a projection that is behind',
      { ...well, projections: [{ ...projection, lag: { events: 5, seconds: 60 } }] },
      /is behind\. By 5 events, 1 min/,
    ],
    ['a chain that is behind', { ...well, chain: { status: 'behind', size: 1, lagSeconds: 7 } }, /chain is behind\. By 7 s/],
    ['a disk that is nearly full', { ...well, disk: { freeBytes: 2 ** 29, sizeBytes: 2 ** 40 } }, /512 MiB are free/],
    [
      'results that nobody keeps',
      { ...well, results: { status: 'stopped', daysWaiting: 3, lagSeconds: 9 } },
      /computation of large results has stopped/,
    ],
    [
      'a log that is not what was signed',
      { ...well, damage: { index: 7, kind: 'altered', detail: 'its event is not what it was' } },
      /does not match what was signed: index 7, its event/,
    ],
    [
      'a projection of another log',
      {
        ...well,
        projections: [{ ...projection, state: 'catching-up', lag: { events: 5, seconds: 60 }, withheld: 'they are of another log' }],
      },
      /^status\.reports is not served: they are of another log\. $/,
    ],
    ['a projection that is not what the log says', { ...well, projections: [{ ...projection, differences: 2 }] }, /2 documents differ/],
    ['dead letters that cannot go anywhere', { ...well, deadLettersKept: 1 }, /1 subscription keeps undeliverable messages/],
    ['erasures that cannot be done', { ...well, erasuresFailed: 2 }, /2 erasures failed/],
  ])('is %s, with where to do it', (_what, overview, text) => {
    expect(what(overview)).toMatch(text);
    expect(paths(overview)).toEqual([expect.stringMatching(/^\/\w/)]);
  });

  it('is no projection that is being rebuilt', () =>
    expect(
      problemsIn({ ...well, projections: [{ ...projection, state: 'rebuilding', differences: 2, lag: { events: 5, seconds: 60 } }] }),
    ).toEqual([]));
});
