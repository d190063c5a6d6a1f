import { applyDecorators, HttpCode, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiQuery } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import type { BodyKind } from '#api/shared/bodies/body-limits.js';
import type { Shape } from '#api/shared/bodies/body-shape.js';
import type { HttpError } from '#api/shared/openapi/answers-of-errors.js';
import type { Answers, DescribedParameter } from '#api/shared/openapi/described.js';

/** A query parameter. Default: optional, with a value. */
type QueryParameter = DescribedParameter & Readonly<{ required?: boolean; allowEmptyValue?: boolean }>;

/** Declaration of a route at its handler. Its place in the API, its limits and its description in OpenAPI follow from it. */
type Declaration = Readonly<{
  /**
   * Operation id, which is the function name in generated clients. So it is written down instead of derived, and never changes with a
   * controller: verb and noun (`listTopics`, `getTopic`), with the service or the version of the path only if another operation has the
   * same noun.
   */
  id: string;
  summary: string;
  /** More details than in the summary. */
  description?: string;
  /** Path parameters whose description differs from that of the service for all parameters of the name. */
  path?: Readonly<Record<string, DescribedParameter>>;
  query?: Readonly<Record<string, QueryParameter>>;
  /** Shape of the request body, with its description. */
  body?: Shape<unknown>;
  /** Set if the body is optional. Default `false`. */
  bodyIsOptional?: boolean;
  /** Limits of the body. Default as in BODY_LIMITS. */
  limit?: BodyKind;
  /** Media types of the body. Default `application/json`. */
  takes?: readonly string[];
  /** Example of the request body. */
  example?: unknown;
  /** Successes by status, and errors that other operations of the service lack or describe differently. */
  answers: Answers;
  /** Refusals of this operation in addition to the common ones of the service; a function of the path if its paths differ. */
  errors?: readonly HttpError[] | ((path: string) => readonly HttpError[]);
  /** Set if an `Idempotency-Key` makes a call repeatable. Default: true for a POST. */
  repeatable?: boolean;
}>;

/**
 * Paths of one call, each with the id of its operation, and with its own summary if it has one. In the form `{ id, summary }` the summary
 * also describes the answer, because the call requests something else there.
 */
type Paths = Readonly<Record<string, string | readonly [id: string, summary: string] | Readonly<{ id: string; summary: string }>>>;

/** Declaration of a handler. `admission`: facts for the HTTP policy of the service. */
export type HandlerRoute = Readonly<{ declaration: Omit<Declaration, 'id'>; paths: Paths; admission: FastifyContextConfig }>;

const ROUTE = Symbol('route');

/** `undefined` if the handler has no route. */
export const routeOf = (handler: object): HandlerRoute | undefined => Reflect.getMetadata(ROUTE, handler) as HandlerRoute | undefined;

export const idIn = (operation: Paths[string]): string => {
  if (typeof operation === 'string') return operation;
  return 'id' in operation ? operation.id : operation[0];
};

const successOf = (answers: object): number => Number(Object.keys(answers).find((status) => status.startsWith('2')) ?? 200);

/** The schema is completed when the description is made. */
type Undetailed = Omit<Declaration, 'id'>;

const bodyOf = ({ body, bodyIsOptional, takes }: Undetailed): readonly MethodDecorator[] =>
  body ? [ApiBody({ schema: { type: 'object' }, required: !bodyIsOptional }), ...(takes ? [ApiConsumes(...takes)] : [])] : [];

const documented = (method: RequestMethod, declaration: Undetailed, id: string): readonly MethodDecorator[] => {
  const { summary, description, query = {}, repeatable = method === RequestMethod.POST } = declaration;
  return [
    ApiOperation({ operationId: id, summary, ...(description !== undefined && { description }) }),
    ...bodyOf(declaration),
    ...Object.entries(query).map(([name, { required = false, allowEmptyValue }]) =>
      ApiQuery({ name, required, ...(allowEmptyValue && { allowEmptyValue }) }),
    ),
    ...(repeatable ? [ApiHeader({ name: 'Idempotency-Key', required: false })] : []),
  ];
};

/** Common details of the routes of a controller, stated once; each route may override them. */
type Left<Details, Known> = Omit<Details, keyof Known> & Partial<Details>;

/**
 * The decorators of the routes of a service, one for each method: `@Get(path, declaration)`; `@Get({ [path]: id, … }, declaration)` for a
 * call at several paths. `routesWith` creates the same for routes with a common part of their declaration.
 * @param admission facts about a route for the HTTP policy of the service
 * @param also further decorators
 */
export const routesOf = <Options extends object>(
  admission: (options: Omit<Options & Declaration, 'id'>) => object,
  also: (options: Omit<Options & Declaration, 'id'>) => readonly MethodDecorator[] = () => [],
) => {
  type Details = Options & Declaration;
  const routesWith = <Known extends Partial<Details>>(known: Known) => {
    const route = (method: RequestMethod) => {
      function decorator(path: string, declaration: Left<Details, Known>): MethodDecorator;
      function decorator(paths: Paths, declaration: Omit<Left<Details, Known>, 'id'>): MethodDecorator;
      function decorator(at: string | Paths, own: object): MethodDecorator {
        const declaration = Object.assign({}, known, own as Details);
        const paths = typeof at === 'string' ? { [at]: declaration.id } : at;
        const [first = ''] = Object.values(paths).map(idIn);
        const admitted = admission(declaration);
        return applyDecorators(
          RequestMapping({ method, path: typeof at === 'string' ? at : Object.keys(at) }),
          HttpCode(successOf(declaration.answers)),
          SetMetadata(ROUTE, { declaration, paths, admission: admitted }),
          RouteConfig({ ...admitted, body: declaration.limit }),
          ...also(declaration),
          ...documented(method, declaration, first),
        );
      }
      return decorator;
    };
    return {
      Get: route(RequestMethod.GET),
      Post: route(RequestMethod.POST),
      Put: route(RequestMethod.PUT),
      Patch: route(RequestMethod.PATCH),
      Delete: route(RequestMethod.DELETE),
    };
  };
  return { ...routesWith({}), routesWith };
};
