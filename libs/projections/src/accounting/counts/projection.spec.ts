import { it } from '@jest/globals';
import { objectId } from '#domain/accounting/object-id.js';
import { projectionSpec } from '#test/support/projection-spec.js';
import { countsProjection } from './projection.js';

const given = projectionSpec(countsProjection);
const made = (time: string, mark: number): string => objectId(Date.parse(time), `${mark}`.padStart(16, '0'));
const definition = (type: string, time: string, mark = 0) => ({ type, data: { definitionId: made(time, mark) } });
const [EVENING, MORNING] = ['2031-05-04T23:59:59.999Z', '2031-05-05T00:00:00Z'];

it('counts clients by the day of their registration', () =>
  given(
    { type: 'ClientRegistered', data: { actorId: 'a' }, metadata: { time: EVENING } },
    { type: 'ClientRegistered', data: { actorId: 'b' }, metadata: { time: EVENING } },
    { type: 'ClientRegistered', data: { actorId: 'c' }, metadata: { time: MORNING } },
  ).then({ actors: { '2031-05-04': 2, '2031-05-05': 1 } }));

it('counts existing metric definitions by the day of their creation', () =>
  given(
    definition('MetricDefinitionCreated', EVENING, 1),
    definition('MetricDefinitionCreated', EVENING, 2),
    definition('MetricDefinitionCreated', MORNING),
    definition('MetricDefinitionDeleted', MORNING),
    definition('MetricDefinitionDeleted', EVENING, 1),
  ).then({ definitions: { '2031-05-04': 1 } }));
