import { envelopeOf, shownOf, showsOne } from '#api/status/openapi/envelopes.js';
import { component, doc, oneOf } from '#domain/shared/shape.js';

export const TAG_VALUES = component('StatusTagValues', {
  name: oneOf('endpoints', 'groups'),
  values: [{ name: doc('text', 'the tag'), values: ['text'] }],
}).shownAs({ name: 'endpoints', values: [{ name: 'production', values: ['1'] }] });
export const STATISTICS = shownOf('StatusTopologyStatistics', {
  group_count: ['count', 1],
  group_type: ['text', 'NGI'],
  group_list: [['text'], ['NGI-A']],
  endpoint_group_count: ['count', 1],
  endpoint_group_type: ['text', 'SITES'],
  endpoint_group_list: [['text'], ['SITE-A']],
  service_count: ['count', 1],
  service_list: [['text'], ['web']],
});
export const SHOWS_STATISTICS = showsOne(envelopeOf('StatusTopologyStatisticsOfReport', STATISTICS), STATISTICS.example);
