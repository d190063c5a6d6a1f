import { describe, it } from '@jest/globals';
import { DEFINITIONS_STREAM } from '#domain/accounting/definitions/definition-events.js';
import { type GivenEvent, projectionSpec } from '#test/support/projection-spec.js';
import { definitionsProjection } from './projection.js';

const given = projectionSpec(definitionsProjection);

const order = (position: number): string => String(position).padStart(20, '0');

describe('metric definitions and types', () => {
  const defined = (type: string, data: object): GivenEvent => ({ type, stream: DEFINITIONS_STREAM, data });

  it('are found by id and listed in order of creation', () => {
    const members = { metric_name: 'n', metric_description: null, unit_type: 'TB', metric_type: 'count' };
    const document = { metric_definition_id: '1', ...members, metric_name: 'm' };
    const type = { typeId: '3', value: 'v', description: 'e', creatorId: 'me' };
    given(
      defined('MetricDefinitionCreated', { definitionId: '1', creatorId: 'me', ...members }),
      defined('MetricDefinitionCreated', { definitionId: '2', creatorId: 'me', ...members, unit_type: 's' }),
      defined('MetricDefinitionRevised', { definitionId: '1', ...members, metric_name: 'm' }),
      defined('MetricDefinitionClosed', { definitionId: '2', closing: 'c' }),
      defined('MetricDefinitionDeleted', { definitionId: '2' }),
      defined('UnitTypeCreated', { typeId: '3', creatorId: 'me', value: 'v', description: 'd' }),
      defined('UnitTypeRevised', { typeId: '3', value: 'v', description: 'e' }),
      defined('MetricTypeCreated', { typeId: '4', creatorId: 'me', value: 'v', description: 'd' }),
      defined('MetricTypeDeleted', { typeId: '4' }),
      defined('MetricTypeCreated', { typeId: '5', creatorId: '', value: 'count', description: 'd', replaces: 'own' }),
    ).then({
      definitions: { 1: { document, creatorId: 'me', order: order(10) } },
      'definitions.ordered': { [order(10)]: { ...document, creator_id: 'me' } },
      'unit-types': { 3: { ...type, order: order(60) } },
      'unit-types.ordered': { [order(60)]: { id: '3', unit_type: 'v', description: 'e', creator_id: 'me' } },
      'metric-types.brought-over': { own: { typeId: '5', value: 'count', description: 'd', creatorId: '' } },
    });
  });

  it('count how often they were closed to new references', () => {
    const members = { metric_name: 'n', metric_description: null, unit_type: 'TB', metric_type: 'count' };
    const closed = defined('MetricDefinitionClosed', { definitionId: '1', closing: 'c' });
    given(
      defined('MetricDefinitionCreated', { definitionId: '1', creatorId: 'me', ...members }),
      closed,
      defined('MetricDefinitionRevised', { definitionId: '1', ...members, metric_name: 'm' }),
      closed,
    ).thenCollections({
      definitions: {
        1: { document: { metric_definition_id: '1', ...members, metric_name: 'm' }, creatorId: 'me', order: order(10), closings: 2 },
      },
    });
  });
});
