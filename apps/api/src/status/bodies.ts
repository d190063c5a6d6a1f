import { described, due, type Shape, text } from '#api/shared/bodies/body-shape.js';
import { Component, type Shape as Described, doc, type Schema } from '#domain/shared/shape.js';

/** The same shape with a description. */
export const worded = <T>(shape: Shape<T>, description: string, words?: Schema): Shape<T> =>
  described(shape, doc(shape.schema, description, words));

/** A text that OpenAPI declares as required. */
export const dueText = (description: string, words?: Schema): Shape<string> => due(worded(text, description, words));

/** An optional text. */
export const textOf = (description: string): Shape<string> => worded(text, description);

type Members = Readonly<Record<string, Described>>;

/** The members of a body as described in OpenAPI. */
export const describedMembers = ({ schema }: Pick<Shape<unknown>, 'schema'>): Members =>
  schema instanceof Component ? describedMembers({ schema: schema.shape }) : (schema as Members);

/** The same as members of an answered record, which has all of them. */
export const recordMembers = (shape: Shape<unknown>): Members =>
  Object.fromEntries(Object.entries(describedMembers(shape)).map(([name, member]) => [name.replace(/\?$/, ''), member]));
