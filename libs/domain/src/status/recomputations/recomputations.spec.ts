import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import {
  type RecomputationAction,
  type RecomputationCommand,
  type RecomputationEvent,
  recomputation,
  recomputationEvents,
  streamOfRecomputation,
} from './recomputations.js';

const given = deciderSpec(recomputation);
const identity = { tenantId: 't', id: '1' };
const request = {
  requester_name: 'ann',
  requester_email: 'ann@example.org',
  reason: 'power cut',
  start_time: '2024-02-28T12:00:00Z',
  end_time: '2024-02-29T23:00:00Z',
  report: 'Critical',
  exclude: ['SITE-A'],
};
const exclusions = {
  exclude_metrics: [{ metric: 'm', hostname: 'h' }],
  exclude_monitoring_source: [{ host: 'mon', start_time: 's', end_time: 'e' }],
  applied_status_changes: [{ group: 'g', state: 'OK' }],
};
const act = (action: RecomputationAction, of = identity): RecomputationCommand => ({ ...of, ...action });
const requested: RecomputationEvent = { type: 'RecomputationRequested', data: { ...identity, ...request, ...exclusions } };
const moved = (status: 'pending' | 'done', change: 'set' | 'reset'): RecomputationEvent => ({
  type: 'RecomputationStatusChanged',
  data: { ...identity, status, change },
});
const deleted: RecomputationEvent = { type: 'RecomputationDeleted', data: identity };
const submit = (changes: Partial<typeof request> = {}) =>
  act({ type: 'RequestRecomputation', request: { ...request, ...exclusions, ...changes } });

describe('recomputations', () => {
  it('have one stream each', () => expect(streamOfRecomputation('a-b')).toBe('status.recomputation-a-b'));

  it('are requested', () => given().when(submit()).then(requested));

  it('are refused with every parameter that is missing or malformed, in the order of the contract', () => {
    const nothing = { start_time: '', end_time: '', reason: '', requester_name: '', requester_email: '', report: '' };
    given()
      .when(submit(nothing))
      .thenRejected('RECOMPUTATION_INVALID', {
        problems: Object.keys(nothing).map((name) => ({ message: 'Missing parameter', details: `Parameter ${name} is required` })),
      });
    given()
      .when(submit({ start_time: '2024-02-30T00:00:00Z', end_time: '2024-02-28', report: '' }))
      .thenRejected('RECOMPUTATION_INVALID', {
        problems: [
          {
            message: 'Malformed parameter',
            details: 'Parameter start_time: 2024-02-30T00:00:00Z is not in the form of YYYY-MM-DDTHH:MM:SSZ',
          },
          { message: 'Malformed parameter', details: 'Parameter end_time: 2024-02-28 is not in the form of YYYY-MM-DDTHH:MM:SSZ' },
          { message: 'Missing parameter', details: 'Parameter report is required' },
        ],
      });
  });

  it.each([[requested], [requested, deleted]])('never get an id that was used before', (...events) =>
    given(...events)
      .when(submit())
      .thenRejected('RECOMPUTATION_ID_USED'),
  );

  it('are replaced without a check of the parameters, and without the lists that are left out', () => {
    const emptied = { ...request, reason: '', start_time: 'whenever' };
    given(requested)
      .when(act({ type: 'ReviseRecomputation', request: emptied }))
      .then({ type: 'RecomputationRevised', data: { ...identity, ...emptied } });
    given(requested)
      .when(act({ type: 'ReviseRecomputation', request: { ...request, exclude_metrics: [] } }))
      .then({ type: 'RecomputationRevised', data: { ...identity, ...request, exclude_metrics: [] } });
  });

  it('can change from any eligible status to any, the same included', () => {
    const done = act({ type: 'SetRecomputationStatus', status: 'done' });
    given(requested).when(done).then(moved('done', 'set'));
    given(requested, moved('done', 'set')).when(done).then(moved('done', 'set'));
    given(requested, moved('done', 'set'))
      .when(act({ type: 'SetRecomputationStatus', status: 'pending' }))
      .then(moved('pending', 'set'));
  });

  it.each(['', 'Done', 'finished', 'done ', 'constructor'])('refuse the status %j', (status) =>
    given(requested)
      .when(act({ type: 'SetRecomputationStatus', status }))
      .thenRejected('RECOMPUTATION_STATUS_INELIGIBLE'),
  );

  it('can be reset to pending', () =>
    given(requested, moved('done', 'set'))
      .when(act({ type: 'ResetRecomputationStatus' }))
      .then(moved('pending', 'reset')));

  it('are deleted', () =>
    given(requested)
      .when(act({ type: 'DeleteRecomputation' }))
      .then(deleted));

  const actions: readonly RecomputationAction[] = [
    { type: 'ReviseRecomputation', request },
    { type: 'SetRecomputationStatus', status: 'nonsense' },
    { type: 'ResetRecomputationStatus' },
    { type: 'DeleteRecomputation' },
  ];
  it.each(actions)('refuse $type if they do not exist or belong to another tenant', (action) => {
    given().when(act(action)).thenRejected('RECORD_NOT_FOUND');
    given(requested, deleted).when(act(action)).thenRejected('RECORD_NOT_FOUND');
    given(requested)
      .when(act(action, { ...identity, tenantId: 'other' }))
      .thenRejected('RECORD_NOT_FOUND');
  });

  it('seal the requester, whose key is destroyed with the recomputation', () => {
    const { RecomputationRequested, RecomputationRevised, RecomputationDeleted } = recomputationEvents;
    for (const schema of [RecomputationRequested, RecomputationRevised]) {
      expect(schema?.sensitive?.members).toEqual(['requester_name', 'requester_email']);
      expect(schema?.sensitive?.subject(identity)).toBe('recomputation-1');
    }
    expect(RecomputationDeleted?.forgets?.(identity)).toEqual(['recomputation-1']);
  });
});
