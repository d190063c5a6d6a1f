import { describe, it } from '@jest/globals';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { projectionSpec } from '#test/support/projection-spec.js';
import { CHUNK_LENGTH, pointCollections } from './documents.js';
import { pointsProjection } from './projection.js';

const { chunks, touched, days } = pointCollections;
const spec = projectionSpec(pointsProjection);

const result = (changes: Partial<MetricResult> = {}): MetricResult => ({
  host: 'h',
  timestamp: '2015-05-01T01:02:03Z',
  endpoint_group: '',
  service: 'CE',
  metric: 'ping',
  status: 'OK',
  summary: '',
  message: '',
  ...changes,
});
const recorded = (results: readonly MetricResult[], tenantId = 't', host?: string) =>
  ({
    type: 'MetricResultsRecorded',
    data: { tenantId, results: results.map((one) => (host === undefined ? one : { ...one, host })) },
  }) as const;
const [first, second] = ['00000000000000000010', '00000000000000000020'];
const endpoint = { host: 'h', service: 'CE' };

describe('the read model of points', () => {
  it('stores the members of a point that computations need, without absent ones', () =>
    spec.given(recorded([result()])).then({
      [chunks.name]: { 't/2015-05-01/h/CE/open': { head: { stamp: `${first}.000`, ...endpoint }, body: '["10","ping",[[0,3723,"OK"]]]' } },
      [touched.name]: { [`t/2015-05-01/${first}.000`]: endpoint },
      [days.name]: { 't/2015-05-01': { stamp: `${first}.000` } },
    }));

  it('stores report, group, monitoring host and actual data with any characters', () => {
    const [report, group, monitoringHost, data] = ['r', 'S/"\n', 'mon', '__proto__=1;\u2028'];
    const full = result({ report, endpoint_group: group, monitoring_host: monitoringHost, actual_data: data, metric: '__proto__' });
    const body = JSON.stringify(['10', '__proto__', [[0, 3723, 'OK', data]], report, group, monitoringHost]);
    spec.given(recorded([full])).thenCollections({
      [chunks.name]: { 't/2015-05-01/h/CE/open': { head: { stamp: `${first}.000`, ...endpoint }, body } },
    });
  });

  it('combines points of one event that differ only in time, status and data', () => {
    const results = [
      result({ timestamp: '2015-05-01T00:00:00Z' }),
      result({ timestamp: '2015-05-01T23:59:59Z', status: 'CRITICAL', report: 'r' }),
      result({ timestamp: '2015-05-01T12:00:00Z', status: 'WARNING', actual_data: 'a=1' }),
      result({ monitoring_host: 'm' }),
    ];
    spec.given(recorded(results)).thenCollections({
      [chunks.name]: {
        't/2015-05-01/h/CE/open': {
          head: { stamp: `${first}.003`, ...endpoint },
          body: '["10","ping",[[0,0,"OK"],[2,43200,"WARNING","a=1"]]],["10","ping",[[1,86399,"CRITICAL"]],"r"],["10","ping",[[3,3723,"OK"]],"","","m"]',
        },
      },
    });
  });

  it('separates endpoints and days, and stores which of them changed last', () => {
    const next = result({ timestamp: '2015-05-02T00:00:00Z' });
    spec.given(recorded([result(), result({ service: '' }), next, result()]), recorded([next])).then({
      [chunks.name]: {
        't/2015-05-01/h/CE/open': { head: { stamp: `${first}.003`, ...endpoint }, body: '["10","ping",[[0,3723,"OK"],[3,3723,"OK"]]]' },
        't/2015-05-01/h//open': { head: { stamp: `${first}.001`, host: 'h', service: '' }, body: '["10","ping",[[1,3723,"OK"]]]' },
        't/2015-05-02/h/CE/open': {
          head: { stamp: `${second}.000`, ...endpoint },
          body: '["10","ping",[[2,0,"OK"]]],["20","ping",[[0,0,"OK"]]]',
        },
      },
      [touched.name]: {
        [`t/2015-05-01/${first}.001`]: { host: 'h', service: '' },
        [`t/2015-05-01/${first}.003`]: endpoint,
        [`t/2015-05-02/${second}.000`]: endpoint,
      },
      [days.name]: { 't/2015-05-01': { stamp: `${first}.003` }, 't/2015-05-02': { stamp: `${second}.000` } },
    });
  });

  it('separates the hosts of an event, each with the indexes of its points', () =>
    spec.given(recorded([result(), result({ host: 'i' }), result({ status: 'CRITICAL' })])).then({
      [chunks.name]: {
        't/2015-05-01/h/CE/open': {
          head: { stamp: `${first}.002`, ...endpoint },
          body: '["10","ping",[[0,3723,"OK"],[2,3723,"CRITICAL"]]]',
        },
        't/2015-05-01/i/CE/open': { head: { stamp: `${first}.001`, ...endpoint, host: 'i' }, body: '["10","ping",[[1,3723,"OK"]]]' },
      },
      [touched.name]: { [`t/2015-05-01/${first}.001`]: { ...endpoint, host: 'i' }, [`t/2015-05-01/${first}.002`]: endpoint },
      [days.name]: { 't/2015-05-01': { stamp: `${first}.002` } },
    }));

  it('closes a chunk before it gets long, and starts another', () => {
    const half = 'x'.repeat(CHUNK_LENGTH / 2);
    const body = (position: string) => `["${position}","ping",[[0,3723,"OK","${half}"]]]`;
    const large = recorded([result({ actual_data: half })]);
    spec.given(large, large, recorded([result()])).then({
      [chunks.name]: {
        [`t/2015-05-01/h/CE/${first}.000`]: { head: { stamp: `${first}.000`, ...endpoint }, body: body('10') },
        't/2015-05-01/h/CE/open': {
          head: { stamp: '00000000000000000030.000', ...endpoint },
          body: `${body('20')},["30","ping",[[0,3723,"OK"]]]`,
        },
      },
      [touched.name]: { 't/2015-05-01/00000000000000000030.000': endpoint },
      [days.name]: { 't/2015-05-01': { stamp: '00000000000000000030.000' } },
    });
  });

  it('is emptied with its tenant', () =>
    spec.given(recorded([result()]), recorded([result()], 't2'), { type: 'TenantDeleted', data: { tenantId: 't' } }).then({
      [chunks.name]: {
        't2/2015-05-01/h/CE/open': { head: { stamp: `${second}.000`, ...endpoint }, body: '["20","ping",[[0,3723,"OK"]]]' },
      },
      [touched.name]: { [`t2/2015-05-01/${second}.000`]: endpoint },
      [days.name]: { 't2/2015-05-01': { stamp: `${second}.000` } },
    }));
});
