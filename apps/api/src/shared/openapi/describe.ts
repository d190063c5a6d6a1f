import type { OpenAPIObject } from '@nestjs/swagger';
import type { Catalogue, Described, DescribedAnswer } from './described.js';
import { type Schema, Schemas } from './shape.js';

type Responses = Record<string, object>;
type Parameter = Readonly<{ name?: string; in?: string; schema?: object; description?: string }>;
type Content = Record<string, Record<string, unknown>>;

/** An operation of the document, as far as it is completed here. */
export type Operation = {
  operationId?: string;
  summary?: string;
  tags?: readonly string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses: Responses;
  security?: object[];
};

/** How the operations of one service are described. */
export type ServiceDescription = Readonly<{
  owns(path: string): boolean;
  catalogue: Catalogue;
  /** What goes wrong in all operations of this kind, by status. */
  errors(method: string, path: string, operation: Operation): Readonly<Record<number, DescribedAnswer>>;
  /** Further media types in which every JSON answer can be had. */
  alsoAs?: readonly string[];
}>;

const contentOf = ({ shape, example, type = 'application/json', also = [] }: DescribedAnswer, schemas: Schemas): object => {
  if (shape === undefined && also.length === 0 && type === 'application/json') return {};
  const body = {
    schema: shape === undefined ? { type: 'string' } : schemas.of(shape),
    ...(example !== undefined && { example }),
  };
  const others = also.map((other) => [other, { schema: { type: 'string' } }] as const);
  return { content: Object.fromEntries([[type, body], ...others]) };
};

const response = (described: DescribedAnswer, summary: string, alsoAs: readonly string[], schemas: Schemas): object => {
  const isJson = described.shape !== undefined && described.type === undefined;
  const also = isJson ? [...(described.also ?? []), ...alsoAs] : described.also;
  return { description: described.description ?? summary, ...contentOf({ ...described, ...(also && { also }) }, schemas) };
};

/** A body with an example, and with the members that must be there. */
const describeBody = ({ requestBody }: Operation, { body, required }: Described): void => {
  for (const content of Object.values(requestBody?.content ?? {})) {
    if (body !== undefined) content.example = body;
    if (required) content.schema = { ...(content.schema as Schema), required };
  }
};

const describe = (method: string, path: string, operation: Operation, service: ServiceDescription, schemas: Schemas): void => {
  const described = service.catalogue[`${method} ${path}`];
  const answers = { ...service.errors(method, path, operation), ...described?.answers };
  const { responses } = operation;
  // What Nest supposes of a handler that says nothing.
  for (const [status, known] of Object.entries(responses))
    if (!('content' in known) && !(Number(status) in answers)) delete responses[status];
  for (const [status, one] of Object.entries(answers)) {
    const { headers } = (responses[status] ?? {}) as { headers?: object };
    responses[status] = { ...response(one, operation.summary ?? '', service.alsoAs ?? [], schemas), ...(headers && { headers }) };
  }
  if (described) describeBody(operation, described);
};

/** Completes the operations of the services, and adds the schemas that they share. */
export const describeServices = (document: OpenAPIObject, services: readonly ServiceDescription[]): OpenAPIObject => {
  const schemas = new Schemas();
  for (const [path, methods] of Object.entries(document.paths)) {
    const service = services.find(({ owns }) => owns(path));
    if (!service) continue;
    for (const [method, operation] of Object.entries(methods as Record<string, Operation>))
      describe(method, path, operation, service, schemas);
  }
  document.components = { ...document.components, schemas: { ...document.components?.schemas, ...schemas.components } };
  return document;
};
