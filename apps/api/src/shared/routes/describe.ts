import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type HttpError, ownErrors } from '#api/shared/openapi/answers-of-errors.js';
import type { Answers, DescribedAnswer, Parameters } from '#api/shared/openapi/described.js';
import { describeParameters, type Parameter } from '#api/shared/openapi/request-parameters.js';
import { Schemas, type Shape } from '#domain/shared/shape.js';
import type { DeclaredRoute } from './declared-routes.js';
import { idIn } from './route.js';

/** `MessagingNotFound` */
const nameOf = (service: string, status: string): string => service + (STATUS_CODES[status] ?? status).replace(/[^A-Za-z]/g, '');

/** Answers that many operations of a service share, under `components.responses`. */
class SharedAnswers {
  /** By name. */
  readonly components: Record<string, object> = {};
  private readonly known = new Map<string, DescribedAnswer>();

  /** Refers to an answer, which is described once. @throws the service has another shared answer with this status */
  refer(service: string, status: string, answer: DescribedAnswer, describe: () => object): object {
    const name = nameOf(service, status);
    const known = this.known.get(name);
    if (known && known !== answer) throw new Error(`two shared answers have the name ${name}`);
    if (!known) {
      this.known.set(name, answer);
      this.components[name] = describe();
    }
    return { $ref: `#/components/responses/${name}` };
  }
}

type Body = { required?: boolean; content?: Record<string, Record<string, unknown>> };

/** Describes the body of a request as declared by its route. */
const describeBody = (body: Body, shape: Shape, example: unknown, schemas: Schemas): void => {
  const schema = schemas.of(shape);
  for (const content of Object.values(body.content ?? {})) {
    content.schema = schema;
    if (example !== undefined) content.example = example;
  }
};

type Responses = Record<string, object>;

/** The parts of an operation in the document that are completed here. */
export type Operation = {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Record<string, Record<string, unknown>> };
  responses: Responses;
  security?: Record<string, string[]>[];
};

/** Facts about an operation from its route. */
type OperationFacts = Readonly<{
  method: string;
  path: string;
  /** Set if callers need credentials. */
  isKeyed: boolean;
  hasBody: boolean;
  /** Set if an `Idempotency-Key` makes it repeatable. */
  isRepeatable: boolean;
}>;

type Admission = DeclaredRoute['admission'];
export type ServiceDescription = Readonly<{
  /** Prefix of the names of shared answers. */
  name: string;
  owns(path: string): boolean;
  parameters?: Parameters;
  /** Parameters that policies of the service read instead of controllers. @param admission facts of the policy about the route */
  adds?(admission: Admission): readonly Parameter[];
  /** Errors of all operations of this kind, by status. */
  errors(operation: OperationFacts): Answers;
  error?: Shape;
  /** Answers for a missing resource of the path, or a wrong query parameter. */
  refusals?(path: string, query: ReadonlySet<string>, operation: Pick<OperationFacts, 'method' | 'hasBody'>): readonly HttpError[];
}>;

const TEXT = { type: 'string' } as const;

const shown = ({ example, examples }: Pick<DescribedAnswer, 'example' | 'examples'>): object => ({
  ...(example !== undefined && { example }),
  ...(examples && { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) }),
});

const contentOf = ({ shape, type = 'application/json', also = {}, ...examples }: DescribedAnswer, schemas: Schemas): object => {
  const others = Object.entries(also).map(([other, { schema = TEXT, ...texts }]) => [other, { schema, ...shown(texts) }] as const);
  if (shape === undefined && others.length === 0 && type === 'application/json') return {};
  const body = { schema: shape === undefined ? TEXT : schemas.of(shape), ...shown(examples) };
  return { content: Object.fromEntries([[type, body], ...others]) };
};

const response = (described: DescribedAnswer, summary: string, schemas: Schemas): object => {
  const { description = summary, headers } = described;
  return { description, ...(headers && { headers }), ...contentOf(described, schemas) };
};

/** A path of a controller as in the document: `/records/{id}` for `records` and `:id`. */
const templateOf = (controller: string, path: string): string => `/${controller}${path && `/${path}`}`.replace(/:(\w+)/g, '{$1}');

/** Declared parameters of a route, by place and name. */
type PathWords = DeclaredRoute['declaration']['path'];

const parametersOf = ({ path = {}, query = {} }: Pick<DeclaredRoute['declaration'], 'path' | 'query'>): Parameters =>
  Object.fromEntries([
    ...Object.entries(path).map(([name, described]) => [`path ${name}`, described] as const),
    ...Object.entries(query).map(([name, described]) => [`query ${name}`, described] as const),
  ]);

/** Names the operation of a call with several paths: it has the name of the first. */
const nameAtPath = (path: string, operation: Operation, { controllerPath, paths }: DeclaredRoute): void => {
  for (const [at, name] of Object.entries(paths)) {
    if (templateOf(controllerPath, at) !== path) continue;
    operation.operationId = idIn(name);
    if (typeof name !== 'string') operation.summary = 'id' in name ? name.summary : name[1];
  }
};

/** The operation with the summary of its answers at this path. */
const askedAtPath = (path: string, operation: Operation, { controllerPath, paths }: DeclaredRoute): Operation => {
  const [, own] = Object.entries(paths).find(([at]) => templateOf(controllerPath, at) === path) ?? [];
  return typeof own === 'object' && 'id' in own ? { ...operation, summary: own.summary } : operation;
};

const factsOf = (method: string, path: string, { security = [], requestBody, parameters = [] }: Operation): OperationFacts => ({
  method,
  path,
  isKeyed: security.length > 0,
  hasBody: requestBody !== undefined,
  isRepeatable: parameters.some(({ name }) => name === 'Idempotency-Key'),
});

class Describer {
  private readonly schemas = new Schemas();
  private readonly shared = new SharedAnswers();

  constructor(
    private readonly document: OpenAPIObject,
    private readonly routes: ReadonlyMap<string, DeclaredRoute>,
  ) {}

  describeAll(services: readonly ServiceDescription[]): void {
    for (const [path, methods] of Object.entries(this.document.paths)) {
      const service = services.find(({ owns }) => owns(path));
      if (!service) continue;
      const operations = Object.entries(methods as Record<string, Operation>);
      const words = Object.assign({}, ...operations.map(([, { operationId = '' }]) => this.routes.get(operationId)?.declaration.path));
      for (const [method, operation] of operations) this.describe(method, path, operation, service, words);
    }
    const { components = {} } = this.document;
    const schemas = { ...components.schemas, ...this.schemas.components };
    const responses = { ...components.responses, ...this.shared.components };
    this.document.components = { ...components, schemas, responses } as NonNullable<OpenAPIObject['components']>;
  }

  /** @param words of the path parameters, as declared by its routes: those of OPTIONS are the same */
  private describe(method: string, path: string, operation: Operation, service: ServiceDescription, words: PathWords): void {
    const route = this.routes.get(operation.operationId ?? '');
    const declared = route?.declaration;
    const admission = route?.admission ?? {};
    const query = new Set((operation.parameters ?? []).flatMap(({ in: place, name = '' }) => (place === 'query' ? [name] : [])));
    const errors = [
      ...(service.refusals?.(path, query, { method, hasBody: operation.requestBody !== undefined }) ?? []),
      ...(typeof declared?.errors === 'function' ? declared.errors(path) : (declared?.errors ?? [])),
    ];
    const own = { ...(service.error && ownErrors(service.error, errors)), ...declared?.answers };
    const asked = route ? askedAtPath(path, operation, route) : operation;
    this.answers(asked, service, service.errors(factsOf(method, path, operation)), own);
    const parameters = [...(operation.parameters ?? []), ...(service.adds?.(admission) ?? [])];
    const entries = { ...service.parameters, ...parametersOf({ path: words, query: declared?.query }) };
    operation.parameters = describeParameters(parameters, entries, this.schemas);
    if (operation.requestBody && declared?.body) describeBody(operation.requestBody, declared.body.schema, declared.example, this.schemas);
    if (route && Object.keys(route.paths).length > 1) nameAtPath(path, operation, route);
  }

  /** @param common answers shared by the service's operations @param own answers of this one, which replace common ones by status */
  private answers(operation: Operation, service: ServiceDescription, common: Answers, own: Answers): void {
    const { responses, summary = '' } = operation;
    // Nest's default for a handler without a declaration.
    for (const [status, known] of Object.entries(responses))
      if (!('content' in known) && !(Number(status) in common) && !(Number(status) in own)) delete responses[status];
    for (const [status, one] of Object.entries({ ...common, ...own })) {
      const { headers } = (responses[status] ?? {}) as { headers?: object };
      const full = () => response(one, summary, this.schemas);
      if (Number(status) in own || headers) responses[status] = { ...full(), ...(headers && { headers }) };
      else responses[status] = this.shared.refer(service.name, status, one, full);
    }
  }
}

/** Completes the operations of the services, and adds their shared schemas and answers. @param routes declarations, by operation id */
export const describeServices = (
  document: OpenAPIObject,
  services: readonly ServiceDescription[],
  routes: ReadonlyMap<string, DeclaredRoute>,
): OpenAPIObject => {
  new Describer(document, routes).describeAll(services);
  return document;
};
