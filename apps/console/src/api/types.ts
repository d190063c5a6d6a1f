import type { paths } from '../../../../dist/openapi/client.js';

/** Of `/openapi.json`: what a path template answers to a successful call, so that a changed answer is an error of types. */
type Success<Operation> = Operation extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201 | 202)] extends { content: { 'application/json': infer Content } }
    ? Content
    : never
  : never;

/** What `GET` of a path template answers: `AnswerOf<'/ops/projections/{name}'>`. */
export type AnswerOf<Path extends keyof paths> = Success<paths[Path]['get']>;

/** What `POST` of a path template answers. */
export type PostAnswerOf<Path extends keyof paths> = Success<paths[Path]['post']>;

/** Element of the list that `GET` of a path template answers in `items`. */
export type ItemOf<Path extends keyof paths> = AnswerOf<Path> extends { items: readonly (infer Item)[] } ? Item : never;

/** The data of each event of `/console/live`. */
export type LiveOverview = paths['/console/live']['get']['responses'][200]['content']['text/event-stream'];

/** Body of a `POST` of a path template. */
export type BodyOf<Path extends keyof paths> = paths[Path]['post'] extends {
  requestBody: { content: { 'application/json': infer Content } };
}
  ? Content
  : never;
