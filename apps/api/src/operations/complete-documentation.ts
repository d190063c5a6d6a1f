import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ServiceDescription } from '#api/shared/routes/describe.js';

type Responses = Record<string, object>;
type Parameter = Readonly<{ name?: string; in?: string; required?: boolean; description?: string; schema?: object; example?: unknown }>;
type Operation = {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: object }> };
  responses: Responses;
};

const PROBLEM = {
  type: 'object',
  description: 'problem details (RFC 9457)',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'the request id' },
    errors: {
      type: 'array',
      description: 'members of the request that are wrong',
      items: { type: 'object', required: ['member', 'detail'], properties: { member: { type: 'string' }, detail: { type: 'string' } } },
    },
  },
};

const SCHEMAS = '#/components/schemas/';

const RETRY_AFTER = { 'Retry-After': { description: 'seconds until a repetition may succeed', schema: { type: 'integer', minimum: 1 } } };

const problem = (status: number, title: string, detail: string, errors?: readonly object[]): object => ({
  description: title,
  ...(status === 503 && { headers: RETRY_AFTER }),
  content: {
    'application/problem+json': {
      schema: { $ref: `${SCHEMAS}Problem` },
      example: {
        type: 'about:blank',
        title,
        status,
        detail,
        instance: '5f1d0c2e-7d3b-4b1c-9a63-0d6a3f1c9b21',
        ...(errors && { errors }),
      },
    },
  },
});

const ERRORS = {
  400: problem(400, 'Bad Request', 'the request is not as this call takes it', [
    { member: 'limit', detail: 'must be an integer from 1 to 1000' },
  ]),
  401: problem(401, 'Unauthorized', 'send a key of the operations service in the header x-api-key'),
  403: problem(403, 'Forbidden', 'this call needs the role operator'),
  404: problem(404, 'Not Found', 'there is nothing with this id'),
  406: problem(406, 'Not Acceptable', 'an anchor is application/json or text/plain'),
  408: problem(408, 'Request Timeout', 'the body took too long to arrive'),
  409: problem(409, 'Conflict', 'this cannot be done in the present state'),
  413: problem(413, 'Content Too Large', 'the body is too large'),
  422: problem(422, 'Unprocessable Content', 'the Idempotency-Key was used before with another request body'),
  503: problem(503, 'Service Unavailable', 'the stores cannot take the request now, try again later'),
};

/** `OperationsNotFound` */
const nameOf = (status: keyof typeof ERRORS): string => `Operations${(STATUS_CODES[status] ?? '').replace(/[^A-Za-z]/g, '')}`;

/** Errors that every call of this shape may answer (operations contract 0), in addition to its documented ones. */
const errorsOf = (path: string, method: string): readonly (keyof typeof ERRORS)[] => {
  const isWrite = method !== 'get';
  return [
    400,
    401,
    403,
    404,
    ...(path.startsWith('/audit/anchors') ? [406 as const] : []),
    ...(isWrite ? [408 as const, 409 as const, 413 as const] : []),
    ...(method === 'post' ? [422 as const] : []),
    503,
  ];
};

const LOCATION = { location: { description: 'where the job is found', schema: { type: 'string' } } };
const POSITION = { description: 'position of the last event that was written', schema: { type: 'string', example: '81234' } };

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'a repeat of the call under the same key changes nothing and is answered as the first one',
  schema: { type: 'string' },
};

/** Path parameters without a description in the controller: names and ids. */
const pathParameters = (path: string, known: readonly Parameter[]): Parameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) =>
    known.some((parameter) => parameter.in === 'path' && parameter.name === name)
      ? []
      : [{ name, in: 'path', required: true, schema: { type: 'string' } }],
  );

const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';

/** Descriptions and examples of parameters that controllers do not describe. */
const PARAMETERS: Readonly<Record<string, Readonly<{ description: string; example?: unknown }>>> = {
  name: { description: 'name of the projection', example: 'status.reports' },
  project: { description: 'name of a project of the messaging service', example: 'monitoring' },
  topic: { description: 'name of a topic of the project', example: 'alerts' },
  subscription: { description: 'name of a subscription of the project', example: 'alarm-desk' },
  message: { description: 'id of the message', example: '0' },
  partition: { description: 'name of the partition', example: `tenant:${ID}` },
  id: { description: 'id of the record', example: ID },
  index: { description: 'index of the event', example: 0 },
  size: { description: 'size of the anchor', example: 1 },
  streamName: { description: 'name of the stream', example: 'status.tenants-global' },
  stream: { description: 'name of the stream' },
  service: { description: 'name of the service', example: 'status' },
  kind: { description: 'kind of the record or actor', example: 'tenant' },
  record: { description: 'kind and id of a record', example: [`status.tenant:${ID}`] },
  tenant: { description: 'id of the tenant', example: ID },
  report: { description: 'name of the report', example: 'Critical' },
  group: { description: 'name of the endpoint group', example: 'SITE-A' },
  day: { description: 'UTC day', example: '2026-03-01' },
  form: { description: 'readable or stored' },
  after: { description: 'where the page before ended: its `next`' },
};

/** `/ops`, `/audit` and `/console`. Their common errors are added by {@link completeOperations}. */
export const OPERATIONS: ServiceDescription = {
  name: 'Operations',
  owns: (path) => /^\/(ops|audit|console)\//.test(path),
  errors: () => ({}),
};

/** Every parameter gets a type and a description, and required ones an example. */
const describedParameter = (parameter: Parameter): Parameter => {
  const { description, example } = PARAMETERS[parameter.name ?? ''] ?? {};
  const schema: Readonly<Record<string, unknown>> = { type: 'string', ...parameter.schema };
  const fitting = Array.isArray(schema.enum) ? schema.enum[0] : (example ?? schema.example);
  return {
    ...(description !== undefined && { description }),
    ...parameter,
    schema,
    ...(parameter.required && fitting !== undefined && { example: fitting }),
  };
};

const complete = (path: string, method: string, operation: Operation): void => {
  const { responses } = operation;
  for (const status of errorsOf(path, method)) responses[status] ??= { $ref: `#/components/responses/${nameOf(status)}` };
  if (method === 'get') return;
  for (const [status, response] of Object.entries(responses)) {
    if (!status.startsWith('2')) continue;
    const { headers = {} } = response as { headers?: object };
    const ofJob = status === '202' && path.startsWith('/ops/') ? LOCATION : {};
    Object.assign(response, { headers: { ...headers, ...ofJob, 'Logbook-Position': POSITION } });
  }
  if (method !== 'post') return;
  const parameters = (operation.parameters ?? []).filter(({ name }) => name?.toLowerCase() !== 'idempotency-key');
  operation.parameters = [...parameters, IDEMPOTENCY_KEY];
};

type Node = Readonly<{ example?: unknown; $ref?: string; items?: Node; properties?: Readonly<Record<string, Node>> }>;

/** The example of a schema, or one composed of those of its parts; `undefined` if they have none. */
const exampleIn = ({ example, $ref, items, properties = {} }: Node, known: Readonly<Record<string, Node>>): unknown => {
  if (example !== undefined) return example;
  if ($ref !== undefined) return exampleIn(known[$ref.slice(SCHEMAS.length)] ?? {}, known);
  if (items) {
    const item = exampleIn(items, known);
    return item === undefined ? undefined : [item];
  }
  const shown = Object.entries(properties).flatMap(([name, member]) => {
    const value = exampleIn(member, known);
    return value === undefined ? [] : [[name, value] as const];
  });
  return shown.length > 0 ? Object.fromEntries(shown) : undefined;
};

/** Bodies show the examples of their members. */
const showBody = ({ requestBody }: Operation, known: Readonly<Record<string, Node>>): void => {
  for (const content of Object.values(requestBody?.content ?? {})) {
    const example = exampleIn(content.schema ?? {}, known);
    if (example !== undefined) Object.assign(content, { example });
  }
};

/**
 * Adds path parameters to all calls, because a description is invalid without them. Adds the common parts to the calls under `/ops` and
 * `/audit`, so that controllers describe only their own parts.
 */
export const completeOperations = (document: OpenAPIObject): OpenAPIObject => {
  const { components = {} } = document;
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods as Record<string, Operation>)) {
      const { parameters: own = [] } = operation;
      operation.parameters = [...pathParameters(path, own), ...own];
      showBody(operation, (components.schemas ?? {}) as Readonly<Record<string, Node>>);
      if (!/^\/(ops|audit)\//.test(path)) continue;
      complete(path, method, operation);
      operation.parameters = operation.parameters.map(describedParameter);
    }
  }
  const shared = Object.entries(ERRORS).map(([status, answer]) => [nameOf(Number(status) as keyof typeof ERRORS), answer] as const);
  const schemas = { ...components.schemas, Problem: PROBLEM };
  const responses = { ...components.responses, ...Object.fromEntries(shared) };
  document.components = { ...components, schemas, responses } as NonNullable<OpenAPIObject['components']>;
  return document;
};
