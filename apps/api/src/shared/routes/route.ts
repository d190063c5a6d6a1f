import { applyDecorators, HttpCode, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery } from '@nestjs/swagger';
import type { Shape } from '#api/shared/bodies/body-shape.js';
import type { Answers, DescribedParameter } from '#api/shared/openapi/described.js';

/** A parameter of the query. Default: it may be left out. */
export type QueryParameter = DescribedParameter & Readonly<{ required?: boolean }>;

/** What a route says of itself, at its handler: its place in the API, its limits and its description in OpenAPI follow from it. */
export type Declaration<A extends object = Answers> = Readonly<{
  /**
   * Operation id: the name of the function of generated clients. So it is written down rather than derived, and never changes with a controller: verb
   * and noun (`listTopics`, `getTopic`), with the service or the version of the path only where another operation has the same noun.
   */
  id: string;
  summary: string;
  /** More about it than the summary says. */
  description?: string;
  /** Another path of the same call, under an id of its own. */
  also?: Readonly<{ path: string; id: string; summary: string }>;
  /** Parameters of the path that are not what the service says of all parameters of that name. */
  path?: Readonly<Record<string, DescribedParameter>>;
  query?: Readonly<Record<string, QueryParameter>>;
  /** What the request body is read as; it carries its description. */
  body?: Shape<unknown>;
  /** Whether the body may be left out. Default `false`. */
  bodyIsOptional?: boolean;
  /** Of the request body. */
  example?: unknown;
  /** Successes by status, and errors that other operations of the service do not have, or have otherwise. */
  answers: A;
  /** Whether an `Idempotency-Key` makes a call repeatable. Default: that of a POST. */
  repeatable?: boolean;
}>;

const DECLARATION = Symbol('declaration');

/** What a handler declares; `undefined`: it is no route. */
export const declarationOf = (handler: object): Declaration | undefined =>
  Reflect.getMetadata(DECLARATION, handler) as Declaration | undefined;

const successOf = (answers: object): number => Number(Object.keys(answers).find((status) => status.startsWith('2')) ?? 200);

/** The schema is completed when the description is made. */
const bodyOf = ({ body, bodyIsOptional }: Declaration<object>): readonly MethodDecorator[] =>
  body ? [ApiBody({ schema: { type: 'object' }, required: !bodyIsOptional })] : [];

const documented = (method: RequestMethod, declaration: Declaration<object>): readonly MethodDecorator[] => {
  const { id, summary, description, query = {}, repeatable = method === RequestMethod.POST } = declaration;
  return [
    ApiOperation({ operationId: id, summary, ...(description !== undefined && { description }) }),
    ...bodyOf(declaration),
    ...Object.entries(query).map(([name, { required = false }]) => ApiQuery({ name, required })),
    ...(repeatable ? [ApiHeader({ name: 'Idempotency-Key', required: false })] : []),
  ];
};

/**
 * The decorators of the routes of a service, one for each method: `@Get(path, declaration)`.
 * @param admission what the HTTP policy of the service has to know of a route
 */
export const routesOf = <Options extends object, A extends object = Answers>(
  admission: (options: Options & Declaration<A>) => MethodDecorator,
) => {
  const route = (method: RequestMethod) => (path: string, declaration: Options & Declaration<A>) =>
    applyDecorators(
      RequestMapping({ method, path: declaration.also ? [declaration.also.path, path] : path }),
      HttpCode(successOf(declaration.answers)),
      SetMetadata(DECLARATION, declaration),
      admission(declaration),
      ...documented(method, declaration),
    );
  return {
    Get: route(RequestMethod.GET),
    Post: route(RequestMethod.POST),
    Put: route(RequestMethod.PUT),
    Patch: route(RequestMethod.PATCH),
    Delete: route(RequestMethod.DELETE),
  };
};
