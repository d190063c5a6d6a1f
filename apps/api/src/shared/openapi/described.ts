import { Component, type Schema, type Shape } from './shape.js';

/** Examples of a body that is text: one, or several by what they show. */
export type ShownText = Readonly<{ example?: string; examples?: Readonly<Record<string, string>> }>;

/** An answer as a catalogue describes it. */
export type DescribedAnswer = Readonly<{
  /** Default: the summary of the operation. */
  description?: string;
  /** Of JSON; left out: the answer has no body, or is of another type only. */
  shape?: Shape;
  example?: unknown;
  /** Several examples, by what they show. */
  examples?: Readonly<Record<string, unknown>>;
  /** Media type. Default `application/json`. */
  type?: string;
  /** The same answer in further media types, whose bodies are text. */
  also?: Readonly<Record<string, ShownText>>;
  headers?: Readonly<Record<string, Readonly<{ description: string; schema: Schema }>>>;
}>;

/** Answers by status. */
export type Answers = Readonly<Record<number, DescribedAnswer>>;

/** A parameter as a route describes it. */
export type DescribedParameter = Readonly<{ shape: Shape; description?: string; example?: unknown }>;

/** Parameters by place and name, such as `query date`. */
export type Parameters = Readonly<Record<string, DescribedParameter>>;

/** A success with a JSON body. */
export const answer = (shape: Shape, example: unknown): DescribedAnswer => ({ shape, example });

/** 200 with a JSON body. @param description default: the summary of the operation */
export const shows = (shape: Shape, example: unknown = exampleOf(shape), description?: string): Answers => ({
  200: { ...answer(shape, example), ...(description !== undefined && { description }) },
});

const exampleOf = (shape: Shape): unknown => {
  if (shape instanceof Component) return shape.example;
  throw new Error('the answer has no example');
};

/** A parameter of a path, or of a query that may lack it. */
export const parameter = (shape: Shape, description: string, example?: unknown): DescribedParameter => ({
  shape,
  description,
  ...(example !== undefined && { example }),
});

/** A parameter that a query must have. */
export const requiredParameter = (shape: Shape, description: string, example?: unknown): DescribedParameter & { required: true } => ({
  ...parameter(shape, description, example),
  required: true,
});
