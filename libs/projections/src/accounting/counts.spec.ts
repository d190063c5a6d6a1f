import { it } from '@jest/globals';
import { objectId } from '#domain/accounting/object-id.js';
import { projectionSpec } from '../../../../test/support/projection-spec.js';
import { countsProjection, dayInKey, metricCountKey } from './counts.js';

const spec = projectionSpec(countsProjection);
const made = (time: string, mark: number): string => objectId(Date.parse(time), `${mark}`.padStart(16, '0'));
const metric = (type: string, projectId: string, time: string, mark = 0) => ({ type, data: { metricId: made(time, mark), projectId } });
const definition = (type: string, time: string, mark = 0) => ({ type, data: { definitionId: made(time, mark) } });
const [EVENING, MORNING] = ['2031-05-04T23:59:59.999Z', '2031-05-05T00:00:00Z'];

it('counts clients by the day of their registration', () =>
  spec
    .given(
      { type: 'ClientRegistered', data: { actorId: 'a' }, metadata: { time: EVENING } },
      { type: 'ClientRegistered', data: { actorId: 'b' }, metadata: { time: EVENING } },
      { type: 'ClientRegistered', data: { actorId: 'c' }, metadata: { time: MORNING } },
    )
    .then({ actors: { '2031-05-04': 2, '2031-05-05': 1 } }));

it('counts the metric definitions and metrics that are left of each day', () =>
  spec
    .given(
      definition('MetricDefinitionCreated', EVENING),
      definition('MetricDefinitionCreated', MORNING),
      definition('MetricDefinitionDeleted', MORNING),
      metric('MetricRecorded', 'p', EVENING, 1),
      metric('MetricRecorded', 'p', EVENING, 2),
      metric('MetricRecorded', 'p', MORNING),
      metric('MetricRecorded', 'q/r', MORNING),
      metric('MetricRemoved', 'p', EVENING, 1),
    )
    .then({
      definitions: { '2031-05-04': 1 },
      metrics: { 'p/2031-05-04': 1, 'p/2031-05-05': 1, [metricCountKey('q/r', '2031-05-05')]: 1 },
    }));

it('forgets the metrics of a deleted project, and only those', () =>
  spec
    .given(
      metric('MetricRecorded', '12', EVENING),
      metric('MetricRecorded', '123', EVENING),
      { type: 'ProjectDeleted', data: { projectId: '12' } },
      metric('MetricRemoved', '12', EVENING),
    )
    .then({ metrics: { [metricCountKey('123', dayInKey(metricCountKey('123', '2031-05-04')))]: 1 } }));
