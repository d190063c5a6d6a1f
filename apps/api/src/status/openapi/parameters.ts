import { COMMON_PARAMETERS } from '#api/shared/openapi/common-parameters.js';
import { type Parameters, parameter } from '#api/shared/openapi/described.js';
import { oneOf } from '#api/shared/openapi/shape.js';

const RECORD = '3954e18b-0f5e-4e4c-9ec1-613127ab6638';

const PATHS: Parameters = {
  'path id': parameter('text', 'id of the record', RECORD),
  'path userId': parameter('text', 'id of the user', '262b2829-1fa4-4338-9cd2-68743e219c46'),
  'path component': parameter(oneOf('engine', 'monbox', 'probe', 'poem-admin', 'poem-viewer'), 'whose users get a new key', 'engine'),
  'path tenant': parameter('text', 'name of the tenant', 'EGI'),
  'path report': parameter('text', 'name of the report', 'Critical'),
  'path groupType': parameter('text', 'first type of the topology schema of the report', 'NGI'),
  'path supergroup': parameter('text', 'name of a group of groups', 'NGI-A'),
  'path type': parameter('text', 'a type of the topology schema of the report, usually the last one: that of endpoint groups', 'SITES'),
  'path group': parameter('text', 'name of the group', 'SITE-A'),
  'path service': parameter('text', 'service type', 'web'),
  'path endpoint': parameter('text', 'host name of the endpoint', 'web.example.org'),
  'path hostname': parameter('text', 'host name', 'web.example.org'),
  'path metric': parameter('text', 'name of the metric', 'http'),
  'path node': parameter('text', 'name of a tenant that is a node', 'EGI'),
};

const TENANT = parameter('text', 'with the key of an administrator: id of the tenant in whose name the call is made');

/** Parameters of `/api` and `/metrics/status`. */
export const STATUS_PARAMETERS: Parameters = { ...COMMON_PARAMETERS, ...PATHS, 'header x-tenant-id': TENANT };
