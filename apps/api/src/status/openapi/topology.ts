import { component, doc, oneOf } from '#api/shared/openapi/shape.js';
import { envelopeOf, showsOne } from './envelopes.js';

export const TAG_VALUES = component('StatusTagValues', {
  name: oneOf('endpoints', 'groups'),
  values: [{ name: doc('text', 'the tag'), values: ['text'] }],
}).shownAs({ name: 'endpoints', values: [{ name: 'production', values: ['1'] }] });
const STATISTICS = component('StatusTopologyStatistics', {
  group_count: 'count',
  group_type: 'text',
  group_list: ['text'],
  endpoint_group_count: 'count',
  endpoint_group_type: 'text',
  endpoint_group_list: ['text'],
  service_count: 'count',
  service_list: ['text'],
});
/** 200 with the statistics of a report. */
export const SHOWS_STATISTICS = showsOne(envelopeOf('StatusTopologyStatisticsOfReport', STATISTICS), {
  group_count: 1,
  group_type: 'NGI',
  group_list: ['NGI-A'],
  endpoint_group_count: 1,
  endpoint_group_type: 'SITES',
  endpoint_group_list: ['SITE-A'],
  service_count: 1,
  service_list: ['web'],
});
