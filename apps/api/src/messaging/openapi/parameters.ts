import { COMMON_PARAMETERS } from '#api/shared/openapi/common-parameters.js';
import { type DescribedParameter, type Parameters, parameter } from '#api/shared/openapi/described.js';
import { bounded } from '#domain/shared/shape.js';

/** Pattern of names in paths. */
export const NAMED = bounded('text', { pattern: '^[a-zA-Z0-9_-]+$' });
const named = (description: string, example: string): DescribedParameter => parameter(NAMED, description, example);

export const MESSAGING_PARAMETERS: Parameters = {
  ...COMMON_PARAMETERS,
  'path project': named('name of the project', 'EGI'),
  'path topic': named('name of the topic', 'news'),
  'path subscription': named('name of the subscription', 'reader'),
  'path schema': named('name of the schema', 'downtime'),
  'path host': parameter('text', 'name of the server; any, as clients are configured with it', 'ams.example.org'),
  'path component': named('name of the component', 'monbox'),
  'path user': named('name of the user', 'ada'),
  'path token': named('token of the user', '4ab4f0dc531f87081e5cc79995d4390cd6815a7fdd5d7acd2e5f8509e4df7684'),
  'path uuid': named('id of the user', '5b23e589-0fea-4a9d-b627-84f575fbfc0a'),
};
