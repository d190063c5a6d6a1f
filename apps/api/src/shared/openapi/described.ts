import { Component, type Schema, type Shape } from '#domain/shared/shape.js';

/** Examples of a text body: one, or several by name. */
export type ShownText = Readonly<{ example?: string; examples?: Readonly<Record<string, string>> }>;

/** An answer in a catalogue. */
export type DescribedAnswer = Readonly<{
  /** Default: the summary of the operation. */
  description?: string;
  /** Shape of the JSON body; omitted if the answer has no body, or only another media type. */
  shape?: Shape;
  example?: unknown;
  /** Several examples, by name. */
  examples?: Readonly<Record<string, unknown>>;
  /** Media type. Default `application/json`. */
  type?: string;
  /** The same answer in other media types, whose bodies are text. */
  also?: Readonly<Record<string, ShownText>>;
  headers?: Readonly<Record<string, Readonly<{ description: string; schema: Schema }>>>;
}>;

export type Answers = Readonly<Record<number, DescribedAnswer>>;

/** A parameter in the description of a route. */
export type DescribedParameter = Readonly<{ shape: Shape; description?: string; example?: unknown }>;

/** Parameters by place and name, such as `query date`. */
export type Parameters = Readonly<Record<string, DescribedParameter>>;

export const answer = (shape: Shape, example: unknown): DescribedAnswer => ({ shape, example });

/** 200 with a JSON body. @param description default: the summary of the operation */
export const shows = (shape: Shape, example: unknown = exampleOf(shape), description?: string): Answers => ({
  200: { ...answer(shape, example), ...(description !== undefined && { description }) },
});

const exampleOf = (shape: Shape): unknown => {
  if (shape instanceof Component) return shape.example;
  throw new Error('the answer has no example');
};

/** A path parameter, or an optional query parameter. */
export const parameter = (shape: Shape, description: string, example?: unknown): DescribedParameter => ({
  shape,
  description,
  ...(example !== undefined && { example }),
});

/** A required query parameter. */
export const requiredParameter = (shape: Shape, description: string, example?: unknown): DescribedParameter & { required: true } => ({
  ...parameter(shape, description, example),
  required: true,
});
