import type { Schemas } from '#domain/shared/shape.js';
import type { Parameters } from './described.js';

/** A parameter of the document. */
export type Parameter = {
  name?: string;
  in?: string;
  required?: boolean;
  description?: string;
  schema?: object;
  example?: unknown;
};

/** Headers that are not parameters: answers and security schemes describe them (OpenAPI 4.8.12.1). */
const NO_PARAMETERS = new Set(['accept', 'content-type', 'authorization']);

const isParameter = ({ in: place, name = '' }: Parameter): boolean => place !== 'header' || !NO_PARAMETERS.has(name.toLowerCase());

/** Completes parameters from their controllers' descriptions and from the catalogue's description of all of that name. */
export const describeParameters = (own: readonly Parameter[], parameters: Parameters, schemas: Schemas): Parameter[] =>
  own.filter(isParameter).map((parameter) => {
    const entry = parameters[`${parameter.in} ${parameter.name}`];
    if (!entry) return parameter;
    const description = parameter.description ?? entry.description;
    const { schema = {}, ...rest } = parameter;
    return {
      ...rest,
      ...(description !== undefined && { description }),
      schema: { ...schemas.of(entry.shape), ...withoutBareType(schema) },
      ...(entry.example !== undefined && { example: entry.example }),
    };
  });

/** Without an explicit description the framework declares a type alone. */
const withoutBareType = (schema: object): object => ('type' in schema && Object.keys(schema).length === 1 ? {} : schema);
