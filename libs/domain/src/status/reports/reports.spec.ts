import { describe, expect, it } from '@jest/globals';
import { Sizes } from '#domain/status/limits.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type Report, type ReportCommand, type ReportDraft, type ReportEvent, reports, streamOfReports } from './reports.js';

const given = deciderSpec(reports);
const computations = { ar: true, status: true, trends: ['flapping', 'status', 'tags'] };
const thresholds = { availability: 80, reliability: 85, uptime: 80, unknown: 10, downtime: 10 };
const content = { description: 'd', weight: 'w', disabled: false, topology_schema: '{}', filter_tags: [] };

const draft = (name: string, changes: Partial<ReportDraft> = {}): ReportDraft => ({
  name,
  ...content,
  computations: undefined,
  thresholds: undefined,
  profiles: [],
  ...changes,
});
const report = (name: string, changes: Partial<Report> = {}): Report => ({ name, ...content, computations, profiles: [], ...changes });
const create = (id: string, one: ReportDraft): ReportCommand => ({ type: 'CreateReport', id, report: one });
const revise = (id: string, one: ReportDraft): ReportCommand => ({ type: 'ReviseReport', id, report: one });
const created = (id: string, name: string): ReportEvent => ({ type: 'ReportCreated', data: { id, report: report(name, { thresholds }) } });
const revised = (id: string, name: string): ReportEvent => ({ type: 'ReportRevised', data: { id, report: report(name) } });
const deleted = (id: string): ReportEvent => ({ type: 'ReportDeleted', data: { id } });

describe('reports', () => {
  it('share one stream per tenant', () => expect(streamOfReports('t-1')).toBe('status.reports-t-1'));

  it('get default computations and thresholds when they are created', () =>
    given()
      .when(create('1', draft('a')))
      .then(created('1', 'a')));

  it('get default computations, but no thresholds, when they are replaced', () =>
    given(created('1', 'a'))
      .when(revise('1', draft('b')))
      .then(revised('1', 'b')));

  it('keep given values', () => {
    const given_ = { computations: { ar: false, status: true, trends: [] }, thresholds: { ...thresholds, uptime: 0 } };
    given()
      .when(create('1', draft('a', given_)))
      .then({ type: 'ReportCreated', data: { id: '1', report: report('a', given_) } });
  });

  it('use the stored names of profiles', () =>
    given()
      .when(create('1', draft('a', { profiles: [{ id: 'p', type: 'metric', name: 'stored' }] })))
      .then({
        type: 'ReportCreated',
        data: { id: '1', report: report('a', { thresholds, profiles: [{ id: 'p', name: 'stored', type: 'metric' }] }) },
      }));

  it('are deleted', () => given(created('1', 'a')).when({ type: 'DeleteReport', id: '1' }).then(deleted('1')));

  it('record the former report of the node, if it still exists', () => {
    const choose = (id: string): ReportCommand => ({ type: 'ChooseNodeReport', id });
    const chosen = (id: string): ReportEvent => ({ type: 'NodeReportChosen', data: { id } });
    const both = [created('1', 'a'), created('2', 'b')];
    given(...both)
      .when(choose('1'))
      .then(chosen('1'));
    given(...both, chosen('1'))
      .when(choose('1'))
      .then(chosen('1'));
    given(...both, chosen('1'))
      .when(choose('2'))
      .then({ type: 'NodeReportChosen', data: { id: '2', formerId: '1' } });
    given(...both, chosen('1'), deleted('1'))
      .when(choose('2'))
      .then(chosen('2'));
    given(...both, chosen('1'), deleted('2'))
      .when(choose('2'))
      .thenRejected('RECORD_NOT_FOUND');
  });

  it('are rejected with all problems of profiles, then of trends, in order', () => {
    const types = ['metric', 'operations', 'aggregation', 'thresholds', 'weights', 'other', '', 'constructor'];
    given()
      .when(
        create(
          '1',
          draft('a', {
            profiles: types.map((type) => ({ id: `of ${type}`, type, name: undefined })),
            computations: { ...computations, trends: ['status', 'Tags', ''] },
          }),
        ),
      )
      .thenRejected('REPORT_INVALID', {
        problems: [
          ...['metric_profiles', 'operations_profiles', 'aggregation_profiles', 'thresholds_profiles', 'weights'].map((kind, index) => ({
            message: 'Profile id not found',
            details: `No profile in ${kind} was found with id of ${types[index]}`,
          })),
          ...['other', '', 'constructor'].map((type) => ({ message: 'Profile type invalid', details: `Profile type ${type} is invalid` })),
          ...['Tags', ''].map((name) => ({ message: 'Invalid Trend Name', details: `Trends with the name:${name} doesn't exist` })),
        ],
      });
  });

  it('are validated before their id, and the id before the name', () => {
    const invalid = draft('a', { profiles: [{ id: '', type: '', name: undefined }] });
    const problems = [{ message: 'Profile type invalid', details: 'Profile type  is invalid' }];
    given(created('1', 'a')).when(revise('2', invalid)).thenRejected('REPORT_INVALID', { problems });
    given(created('1', 'a')).when(create('2', invalid)).thenRejected('REPORT_INVALID', { problems });
    given(created('1', 'a'))
      .when(revise('2', draft('a')))
      .thenRejected('RECORD_NOT_FOUND');
  });

  it.each([revise('1', draft('b')), { type: 'DeleteReport', id: '1' } as const])('reject $type for an unknown id', (command) => {
    given(created('2', 'a')).when(command).thenRejected('RECORD_NOT_FOUND');
    given(created('1', 'a'), deleted('1')).when(command).thenRejected('RECORD_NOT_FOUND');
  });

  it('have unique names', () => {
    given(created('1', 'a'))
      .when(create('2', draft('a')))
      .thenRejected('REPORT_NAME_TAKEN');
    given(created('1', 'a'), created('2', 'b'))
      .when(revise('2', draft('a')))
      .thenRejected('REPORT_NAME_TAKEN');
    given(created('1', 'a'))
      .when(create('2', draft('A')))
      .then(created('2', 'A'));
    given(created('1', 'a'))
      .when(revise('1', draft('a')))
      .then(revised('1', 'a'));
    given(created('1', 'a'), revised('1', 'b'))
      .when(create('2', draft('a')))
      .then(created('2', 'a'));
    given(created('1', 'a'), revised('1', 'b'))
      .when(create('2', draft('b')))
      .thenRejected('REPORT_NAME_TAKEN');
    given(created('1', 'a'), deleted('1'))
      .when(create('2', draft('a')))
      .then(created('2', 'a'));
  });

  it('leave nothing in the state when they are deleted', () => {
    const state = [created('1', 'a'), revised('1', 'b'), deleted('1')].reduce(
      (state, event) => reports.evolve(state, event),
      reports.initialState(),
    );
    expect(state).toEqual({ names: new Map(), ids: new Map(), sizes: new Sizes() });
  });
});
