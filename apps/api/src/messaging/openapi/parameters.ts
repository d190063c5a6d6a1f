import { COMMON_PARAMETERS } from '#api/shared/openapi/common-parameters.js';
import { type DescribedParameter, type Parameters, parameter } from '#api/shared/openapi/described.js';
import { bounded, oneOf } from '#api/shared/openapi/shape.js';

const named = (description: string, example: string): DescribedParameter =>
  parameter(bounded('text', { pattern: '^[a-zA-Z0-9_-]+$' }), description, example);

/** Parameters of `/v1`. */
export const MESSAGING_PARAMETERS: Parameters = {
  ...COMMON_PARAMETERS,
  'path project': named('name of the project', 'EGI'),
  'path topic': named('name of the topic', 'news'),
  'path subscription': named('name of the subscription', 'reader'),
  'path schema': named('name of the schema', 'downtime'),
  'path user': named('name of the user', 'ada'),
  'path token': named('token of the user', '4ab4f0dc531f87081e5cc79995d4390cd6815a7fdd5d7acd2e5f8509e4df7684'),
  'path uuid': named('id of the user', '5b23e589-0fea-4a9d-b627-84f575fbfc0a'),
  'path uuid /registrations/': named('id of the registration', '4e5ffc39-2a80-463e-bf59-87ef803dfa93'),
  'query pageSize': parameter('integer', 'items of a page; all of them when left out, 0 or less'),
  'query pageToken': parameter('text', '`nextPageToken` of the page before'),
  'query details': parameter(oneOf('true', 'false'), '`true` shows more'),
  'query project': parameter('text', 'only members of the project of this name'),
  'query projects': parameter('text', 'names, separated by commas; default all'),
  'query start_date': parameter('day', 'first day, included'),
  'query end_date': parameter('day', 'last day, included'),
  'query time': parameter('instant', 'UTC with exactly three digits of milliseconds', '2026-03-01T12:00:00.000Z'),
  'query name': parameter('text', 'only registrations with this name'),
  'query status': parameter(oneOf('pending', 'accepted', 'declined'), 'only registrations in this state'),
  'query email': parameter('text', 'only registrations with this address'),
  'query organization': parameter('text', 'only registrations of this organization'),
  'query activation_token': parameter('text', 'only the registration with this token'),
};
