import { describe, expect, it } from '@jest/globals';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import {
  type RecomputationAction,
  type RecomputationCommand,
  type RecomputationEvent,
  type RecomputationStatus,
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
const moved = (status: RecomputationStatus, change: 'set' | 'reset'): RecomputationEvent => ({
  type: 'RecomputationStatusChanged',
  data: { ...identity, status, change },
});
const deleted: RecomputationEvent = { type: 'RecomputationDeleted', data: identity };
const submit = (changes: Partial<typeof request> = {}) =>
  act({ type: 'RequestRecomputation', request: { ...request, ...exclusions, ...changes } });

describe('recomputations', () => {
  it('have one stream each', () => expect(streamOfRecomputation('a-b')).toBe('status.recomputation-a-b'));

  it('are requested', () => given().when(submit()).then(requested));

  it('are rejected with every missing or malformed parameter, in the order of the contract', () => {
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

  it.each([[requested], [requested, deleted]])('never reuse an id', (...events) =>
    given(...events)
      .when(submit())
      .thenRejected('RECOMPUTATION_ID_USED'),
  );

  it('are replaced without a check of parameters; absent lists are unchanged', () => {
    const emptied = { ...request, reason: '', start_time: 'whenever' };
    given(requested)
      .when(act({ type: 'ReviseRecomputation', request: emptied }))
      .then({ type: 'RecomputationRevised', data: { ...identity, ...emptied } });
    given(requested)
      .when(act({ type: 'ReviseRecomputation', request: { ...request, exclude_metrics: [] } }))
      .then({ type: 'RecomputationRevised', data: { ...identity, ...request, exclude_metrics: [] } });
  });

  it('can change from any eligible status to any, including the same', () => {
    const done = act({ type: 'SetRecomputationStatus', status: 'done' });
    given(requested).when(done).then(moved('done', 'set'));
    given(requested, moved('done', 'set')).when(done).then(moved('done', 'set'));
    given(requested, moved('done', 'set'))
      .when(act({ type: 'SetRecomputationStatus', status: 'pending' }))
      .then(moved('pending', 'set'));
  });

  it.each(['', 'Done', 'finished', 'done ', 'constructor'])('reject the status %j', (status) =>
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

  describe('running recomputations', () => {
    const begin = (version: number) => act({ type: 'BeginRecomputation', version });
    const complete = (version: number) => act({ type: 'CompleteRecomputation', version });
    const revised: RecomputationEvent = { type: 'RecomputationRevised', data: { ...identity, ...request } };
    const [approved, running] = [moved('approved', 'set'), moved('running', 'set')];

    it('go from approved to running and from running to done', () => {
      given(requested, approved).when(begin(2)).then(running);
      given(requested, approved, running).when(complete(3)).then(moved('done', 'set'));
      given(requested, running).when(complete(2)).then(moved('done', 'set'));
    });

    it.each(['pending', 'rejected', 'running', 'done'] as const)('do not start while they are %s', (status) =>
      given(requested, moved(status, 'set')).when(begin(2)).thenRejected('RECOMPUTATION_NOT_DUE'),
    );

    it.each(['pending', 'approved', 'rejected', 'done'] as const)('are not completed while they are %s', (status) =>
      given(requested, moved(status, 'set')).when(complete(2)).thenRejected('RECOMPUTATION_NOT_DUE'),
    );

    it('are started and completed by one of several nodes', () => {
      given(requested, approved, running).when(begin(2)).thenRejected('RECOMPUTATION_NOT_DUE');
      given(requested, approved, running, moved('done', 'set')).when(complete(3)).thenRejected('RECOMPUTATION_NOT_DUE');
    });

    it('are not completed by an outdated run, after a reset and a second approval or after a new request', () => {
      given(requested, approved, running, moved('pending', 'reset'), approved, running)
        .when(complete(3))
        .thenRejected('RECOMPUTATION_NOT_DUE');
      given(requested, approved, running, revised).when(complete(3)).thenRejected('RECOMPUTATION_NOT_DUE');
      given(requested, approved, running, revised).when(complete(4)).then(moved('done', 'set'));
    });

    it('run to their end at the limit of changes, which applies only to callers', () => {
      const changes = Array.from({ length: STATUS_LIMITS.statusChanges.value }, () => approved);
      const version = changes.length + 1;
      given(requested, ...changes)
        .when(begin(version))
        .then(running);
      given(requested, ...changes, running)
        .when(complete(version + 1))
        .then(moved('done', 'set'));
      given(requested, ...changes)
        .when(act({ type: 'ResetRecomputationStatus' }))
        .thenRejected('OVER_LIMIT');
      given(requested, ...changes.slice(1))
        .when(act({ type: 'ResetRecomputationStatus' }))
        .then(moved('pending', 'reset'));
    });
  });

  const actions: readonly RecomputationAction[] = [
    { type: 'ReviseRecomputation', request },
    { type: 'SetRecomputationStatus', status: 'nonsense' },
    { type: 'ResetRecomputationStatus' },
    { type: 'DeleteRecomputation' },
    { type: 'BeginRecomputation', version: 1 },
    { type: 'CompleteRecomputation', version: 1 },
  ];
  it.each(actions)('reject $type if they do not exist or belong to another tenant', (action) => {
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
