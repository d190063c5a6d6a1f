import { exampleOf, type Schema, type Shape, type Static } from '#domain/shared/shape.js';

/** Examples of a text body: one, or several by name. `schema`: default: any text. */
export type ShownText = Readonly<{ example?: string; examples?: Readonly<Record<string, string>>; schema?: Schema }>;

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

/** An answer with a JSON body of this shape. */
export type AnswerOf<S> = Omit<DescribedAnswer, 'shape'> & Readonly<{ shape: S }>;

/** The type of the body of an answer. */
export type Answered<A> = A extends AnswerOf<infer S> ? Static<S> : never;

/** @param description default: the summary of the operation @throws there is no example */
export const answer = <const S extends Shape>(shape: S, example: unknown = exampleOf(shape), description?: string): AnswerOf<S> => {
  if (example === undefined) throw new Error('the answer has no example');
  return { shape, example, ...(description !== undefined && { description }) };
};

/** 200 with a JSON body. @param description default: the summary of the operation */
export const shows = (shape: Shape, example?: unknown, description?: string): Answers => ({ 200: answer(shape, example, description) });

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
