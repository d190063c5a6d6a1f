import { COMMON_PARAMETERS } from '#api/shared/openapi/common-parameters.js';
import { type Parameters, parameter } from '#api/shared/openapi/described.js';
import { bounded } from '#api/shared/openapi/shape.js';

const OBJECT_ID = '6b0151fdda8ce56225000012';

/** Parameters of `/accounting-system`. */
export const ACCOUNTING_PARAMETERS: Parameters = {
  ...COMMON_PARAMETERS,
  'path id': parameter('text', 'id of the record', OBJECT_ID),
  'path id /admin/projects/': parameter('text', 'id of the project', 'grid'),
  'path id /admin/resources/': parameter('text', 'id of the resource', 'disk-pool'),
  'path id /metrics/': parameter('text', 'id of the metric', '6b014fba40ed97dc26000006'),
  'path key': parameter('text', 'key of the setting', 'ENTITLEMENTS_MANAGEMENT'),
  'path actorId': parameter('text', 'id of the client, as `/admin/actors` shows it', 'cc3304f8c956a9b68e85b660'),
  'path project_id': parameter('text', 'id of the project', 'grid'),
  'path provider_id': parameter('text', 'id of the provider', 'site-a'),
  'path installation_id': parameter('text', 'id of the installation', OBJECT_ID),
  'path capacity_id': parameter('text', 'id of the capacity', '6b01511ab345fbdd0e000003'),
  'path group_id': parameter('text', '`group_id` of metrics', 'physics'),
  'path user_id': parameter('text', '`user_id` of metrics', 'ada'),
  'query page': parameter(bounded('integer', { minimum: 1, default: 1 }), 'which page, from 1 on'),
  'query size': parameter(bounded('integer', { minimum: 1, maximum: 100, default: 10 }), 'elements of a page'),
  'query externalId': parameter(bounded('text', { minLength: 1 }), 'external id of the record', 'd8645a63-ca42-42ad-8801-35e5e0ac30e3'),
  'query externalProviderId': parameter(
    bounded('text', { minLength: 1 }),
    'external id of the provider',
    'fc1c1689-cd5f-43d5-acfc-046da1e40f77',
  ),
  'query project_id': parameter('text', 'only this project; default all projects together'),
  'query metric-definition-id': parameter('text', 'only metrics of this definition'),
  'query start': parameter('day', 'first day', '2024-03-01'),
  'query end': parameter('day', 'last day', '2024-04-01'),
  'query startDate': parameter('day', 'first day', '2024-03-01'),
  'query endDate': parameter('day', 'last day', '2024-04-01'),
};
