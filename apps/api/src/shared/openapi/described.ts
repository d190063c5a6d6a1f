import type { Shape } from './shape.js';

/** An answer as a catalogue describes it. */
export type DescribedAnswer = Readonly<{
  /** Default: the summary of the operation. */
  description?: string;
  /** Of JSON; left out: the answer has no body, or is of another type only. */
  shape?: Shape;
  example?: unknown;
  /** Media type. Default `application/json`. */
  type?: string;
  /** Further media types of the same answer, whose bodies are text. */
  also?: readonly string[];
}>;

/** What a catalogue says of one operation, beside what its controller says. */
export type Described = Readonly<{
  /** Answers of this operation by status; the errors that all operations of a service share are added. */
  answers: Readonly<Record<number, DescribedAnswer>>;
  /** Example of the request body. */
  body?: unknown;
  /** Members that the request body must have, whatever its shape says: the original services take an absent member for an empty one. */
  required?: readonly string[];
}>;

/** Descriptions by method and path, such as `get /api/v2/reports/{id}`. */
export type Catalogue = Readonly<Record<string, Described>>;

/** A success with a JSON body. */
export const answer = (shape: Shape, example: unknown): DescribedAnswer => ({ shape, example });
