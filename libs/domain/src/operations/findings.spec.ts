import { describe, expect, it } from '@jest/globals';
import { FINDINGS, type FindingKind } from './finding-kinds.js';
import { CHECKS, findingsIn, isBeyond, type Measurements } from './findings.js';

const said = (measurements: Measurements) => findingsIn(measurements).map(({ text, figures }) => [text, figures ?? []].flat().join(' '));

describe('findings', () => {
  it('are none while nothing is beyond its bound', () => {
    const within = Object.entries(FINDINGS).map(([kind, { bound }]) => [kind, [{ value: bound, of: 'status.reports' }]]);
    expect(findingsIn(Object.fromEntries(within))).toEqual([]);
    expect(findingsIn({})).toEqual([]);
  });

  it.each<[FindingKind, Measurements[FindingKind], string]>([
    ['event-log', [{ value: 1, detail: 'the disk is full' }], 'The event log does not work: the disk is full.'],
    ['set-aside', [{ value: 1, events: 2, of: 'status.reports' }], 'status.reports has paused 1 partition. 2 events wait.'],
    ['behind', [{ value: 60, events: 5, of: 'status.reports' }], 'status.reports is behind. By 5 events, 1 min.'],
    ['differs', [{ value: 2, of: 'status.reports' }], 'status.reports does not match the log: 2 documents differ.'],
    ['disk', [{ value: 2 ** 29 }], 'The disk is nearly full. 512 MiB are free.'],
    ['chain-behind', [{ value: 7 }], 'The chain is behind. By 7 s.'],
    ['push-fails', [{ value: 1 }], '1 subscription fails to push.'],
    ['push-unverified', [{ value: 2 }], '2 push endpoints are not verified.'],
    ['dead-letters', [{ value: 3 }], '3 dead letters have not been sent back.'],
    ['dead-letters-kept', [{ value: 1 }], '1 subscription keeps undeliverable messages, because the dead letter topic is gone.'],
    ['backlog', [{ value: 100_001 }], '100,001 messages wait for their consumers.'],
    ['results-paused', [{ value: 1 }], 'The results of 1 tenant are paused.'],
    ['groups-not-ok', [{ value: 1 }], '1 group is not OK.'],
    ['groups-not-ok', [{ value: 2 }], '2 groups are not OK.'],
  ])('say %s in a sentence', (kind, measured, text) => expect(said({ [kind]: measured })).toEqual([text]));

  it('are a sentence, what to do and a place each, whatever is measured', () => {
    for (const kind of Object.keys(FINDINGS) as FindingKind[]) {
      const value = isBeyond(kind, -1) ? -1 : FINDINGS[kind].bound + 1;
      const [found] = findingsIn({ [kind]: [{ value, of: 'status.reports', detail: 'why' }] });
      expect(found).toMatchObject({
        kind,
        text: expect.stringMatching(/^[A-Z\d].*\.$|^status\.reports .*\.$/),
        todo: expect.stringMatching(/\.$/),
      });
      expect(found?.view.path).toMatch(/^\/\w/);
      expect(CHECKS).toContain(found?.check);
    }
  });

  it('lead to the read model, or to the very record that was measured', () => {
    const view = { path: '/messaging/a/subscriptions/b', text: 'Open b' };
    const measurements: Measurements = { 'push-fails': [{ value: 1, view }], differs: [{ value: 1, of: 'status.reports' }] };
    expect(findingsIn(measurements).map((found) => found.view)).toEqual([
      { path: '/projections/status.reports', text: 'Open status.reports' },
      view,
    ]);
  });
});
