import type { Schemas, Shape } from './shape.js';

type Body = { required?: boolean; content?: Record<string, Record<string, unknown>> };

/** Describes the body of a request as its route declares it. */
export const describeBody = (body: Body, shape: Shape, example: unknown, schemas: Schemas): void => {
  const schema = schemas.of(shape);
  for (const content of Object.values(body.content ?? {})) {
    content.schema = schema;
    if (example !== undefined) content.example = example;
  }
};
