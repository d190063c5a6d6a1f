import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './describe.js';

/** Id of an operation, and its summary where the controller has one text for several paths. */
export type OperationName = string | readonly [id: string, summary: string];

/**
 * Ids by path and method. They are the names of the functions of generated clients, so they are written down rather than derived, and never change
 * with a controller: verb and noun (`listTopics`, `getTopic`), the service or the version of the path only where another operation has the same noun.
 */
export type OperationNames = Readonly<Record<string, Readonly<Record<string, OperationName>>>>;

/** `optionsOfReport` for the path of `getReport`. */
const nameOfOptions = (names: Readonly<Record<string, OperationName>>): string => {
  const [first = ''] = Object.values(names).flatMap((name) => (typeof name === 'string' ? [name] : [name[0]]));
  return `optionsOf${first.replace(/^[a-z]+/, '')}`;
};

const nameOf = (names: Readonly<Record<string, OperationName>>, method: string): OperationName | undefined =>
  names[method] ?? (method === 'options' && Object.keys(names).length > 0 ? nameOfOptions(names) : undefined);

/** @throws an operation has no name, a name has no operation, or two operations have one name */
export const nameOperations = (document: OpenAPIObject, names: OperationNames): OpenAPIObject => {
  const taken = new Set<string>();
  const used = new Set<string>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods as Record<string, Operation>)) {
      const name = nameOf(names[path] ?? {}, method);
      if (name === undefined) throw new Error(`${method} ${path} has no operation id: add it to operation-names.ts of its service`);
      const [id, summary] = typeof name === 'string' ? [name] : name;
      if (taken.has(id)) throw new Error(`two operations have the id ${id}: ${method} ${path} is the second`);
      taken.add(id);
      used.add(`${method} ${path}`);
      operation.operationId = id;
      if (summary !== undefined) operation.summary = summary;
    }
  const unused = Object.entries(names).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  const stale = unused.filter((operation) => !used.has(operation));
  if (stale.length > 0) throw new Error(`operation ids without operation: ${stale.join(', ')}`);
  return document;
};
