import type { OpenAPIObject } from '@nestjs/swagger';
import type { Catalogue, DescribedAnswer, Parameters } from './described.js';
import { describeRequest } from './request-bodies.js';
import { describeParameters, type Parameter } from './request-parameters.js';
import { Schemas } from './shape.js';
import { SharedAnswers } from './shared-answers.js';

type Responses = Record<string, object>;

/** An operation of the document, as far as it is completed here. */
export type Operation = {
  operationId?: string;
  summary?: string;
  tags?: readonly string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Record<string, Record<string, unknown>> };
  responses: Responses;
  security?: Record<string, string[]>[];
};

/** How the operations of one service are described. */
export type ServiceDescription = Readonly<{
  /** Begins the names of what its operations share. */
  name: string;
  owns(path: string): boolean;
  catalogue: Catalogue;
  parameters?: Parameters;
  /** Parameters that policies of the service read, not controllers. */
  adds?(method: string, path: string): readonly Parameter[];
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
  const { description, headers } = described;
  return {
    description: description ?? summary,
    ...(headers && { headers }),
    ...contentOf({ ...described, ...(also && { also }) }, schemas),
  };
};

class Describer {
  private readonly schemas = new Schemas();
  private readonly shared = new SharedAnswers();

  constructor(private readonly document: OpenAPIObject) {}

  describeAll(services: readonly ServiceDescription[]): void {
    for (const [path, methods] of Object.entries(this.document.paths)) {
      const service = services.find(({ owns }) => owns(path));
      if (!service) continue;
      for (const [method, operation] of Object.entries(methods as Record<string, Operation>))
        this.describe(method, path, operation, service);
    }
    const { components = {} } = this.document;
    const schemas = { ...components.schemas, ...this.schemas.components };
    const responses = { ...components.responses, ...this.shared.components };
    this.document.components = { ...components, schemas, responses } as NonNullable<OpenAPIObject['components']>;
  }

  private describe(method: string, path: string, operation: Operation, service: ServiceDescription): void {
    const described = service.catalogue[`${method} ${path}`];
    this.answers(operation, service, service.errors(method, path, operation), described?.answers ?? {});
    const parameters = [...(operation.parameters ?? []), ...(service.adds?.(method, path) ?? [])];
    operation.parameters = describeParameters(path, parameters, service.parameters ?? {}, this.schemas);
    if (described && operation.requestBody) describeRequest(`${method} ${path}`, operation.requestBody, described, this.schemas);
  }

  /** @param common answers that operations of the service share @param own of this operation, instead of common ones with the same status */
  private answers(operation: Operation, service: ServiceDescription, common: Answers, own: Answers): void {
    const { responses, summary = '' } = operation;
    // What Nest supposes of a handler that says nothing.
    for (const [status, known] of Object.entries(responses))
      if (!('content' in known) && !(Number(status) in common) && !(Number(status) in own)) delete responses[status];
    for (const [status, one] of Object.entries({ ...common, ...own })) {
      const { headers } = (responses[status] ?? {}) as { headers?: object };
      const full = () => response(one, summary, service.alsoAs ?? [], this.schemas);
      if (Number(status) in own || headers) responses[status] = { ...full(), ...(headers && { headers }) };
      else responses[status] = this.shared.refer(service.name, status, one, full);
    }
  }
}

type Answers = Readonly<Record<number, DescribedAnswer>>;

/** Completes the operations of the services, and adds the schemas and answers that they share. */
export const describeServices = (document: OpenAPIObject, services: readonly ServiceDescription[]): OpenAPIObject => {
  new Describer(document).describeAll(services);
  return document;
};
