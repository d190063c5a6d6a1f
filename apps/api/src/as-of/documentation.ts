import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const SERVICES = /^\/(?:v1|accounting-system|api\/v[2-5])\//;

const AS_OF = {
  name: 'Logbook-As-Of',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description:
    'An instant in UTC (2024-01-15T12:00:00Z) or a position of the log: the answer is that of then. It names its moment in the headers ' +
    '`Logbook-As-Of` and `Logbook-As-Of-Time`. Secrets read as `[secret]`, what is erased by now as empty text.',
} as const;

const TENANT = {
  name: 'Logbook-Tenant',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'Id of the tenant that an auditor reads as of the past (key with role `auditor` of the operations service in `x-api-key`)',
} as const;

const ANSWERS = {
  '410': { description: 'What was there at this point in time cannot be shown any more' },
  '503': { description: 'The history has not reached this point in time yet, or this node keeps none' },
} as const;

const addTo = (operation: Operation, ofTenant: boolean): void => {
  operation.parameters = [...(operation.parameters ?? []), AS_OF, ...(ofTenant ? [TENANT] : [])];
  operation.responses = { ...ANSWERS, ...operation.responses };
};

/** Documents for every read of the three services that it is available as of the past. */
export const documentPast = (document: OpenAPIObject): OpenAPIObject => {
  for (const [path, { get, post }] of Object.entries(document.paths)) {
    if (!SERVICES.test(path)) continue;
    const ofTenant = /^\/api\/v[2-5]\/(?!admin\/|version$)/.test(path);
    if (get) addTo(get, ofTenant);
    if (post && path.endsWith('/search')) addTo(post, false);
  }
  return document;
};
