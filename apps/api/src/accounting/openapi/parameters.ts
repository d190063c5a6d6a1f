import { COMMON_PARAMETERS } from '#api/shared/openapi/common-parameters.js';
import { type Parameters, parameter } from '#api/shared/openapi/described.js';

const OBJECT_ID = '6b0151fdda8ce56225000012';

/** Parameters of `/accounting-system`. */
export const ACCOUNTING_PARAMETERS: Parameters = {
  ...COMMON_PARAMETERS,
  'path id': parameter('text', 'id of the record', OBJECT_ID),
  'path key': parameter('text', 'key of the setting', 'ENTITLEMENTS_MANAGEMENT'),
  'path actorId': parameter('text', 'id of the client, as `/admin/actors` shows it', 'cc3304f8c956a9b68e85b660'),
  'path project_id': parameter('text', 'id of the project', 'grid'),
  'path provider_id': parameter('text', 'id of the provider', 'site-a'),
  'path installation_id': parameter('text', 'id of the installation', OBJECT_ID),
  'path capacity_id': parameter('text', 'id of the capacity', '6b01511ab345fbdd0e000003'),
  'path group_id': parameter('text', '`group_id` of metrics', 'physics'),
  'path user_id': parameter('text', '`user_id` of metrics', 'ada'),
};
