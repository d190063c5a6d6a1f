import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './describe.js';

/** Id of an operation, and its summary where the controller has one text for several paths. */
export type OperationName = string | readonly [id: string, summary: string];

/**
 * Ids by path and method. They are the names of the functions of generated clients, so they are written down rather than derived, and never change
 * with a controller: verb and noun (`listTopics`, `getTopic`), the service or the version of the path only where another operation has the same noun.
 */
export type OperationNames = Readonly<Record<string, Readonly<Record<string, OperationName>>>>;

/** `optionsOfGetReport` for the path of `getReport`. */
const nameOfOptions = (names: Readonly<Record<string, OperationName>>): string => {
  const [first = ''] = Object.values(names).flatMap((name) => (typeof name === 'string' ? [name] : [name[0]]));
  return `optionsOf${first.charAt(0).toUpperCase()}${first.slice(1)}`;
};

const nameOf = (names: Readonly<Record<string, OperationName>>, method: string): OperationName | undefined =>
  names[method] ?? (method === 'options' && Object.keys(names).length > 0 ? nameOfOptions(names) : undefined);

type Named = Readonly<{ key: string; operation: Operation; name: OperationName | undefined }>;

const requireNames = (operations: readonly Named[], names: OperationNames): void => {
  const nameless = operations.filter(({ name }) => name === undefined).map(({ key }) => key);
  if (nameless.length > 0) throw new Error(`no operation id: ${nameless.join(', ')}; operation-names.ts of their service has the others`);
  const known = new Set(operations.map(({ key }) => key));
  const stale = Object.entries(names)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    .filter((key) => !known.has(key));
  if (stale.length > 0) throw new Error(`operation ids without operation: ${stale.join(', ')}`);
};

/**
 * @param declared ids that routes declare
 * @throws an operation has no name, a name has no operation, or two operations have one name
 */
export const nameOperations = (document: OpenAPIObject, names: OperationNames, declared: ReadonlySet<string>): OpenAPIObject => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]): Named => {
      const { operationId = '' } = operation;
      const name = declared.has(operationId) ? operationId : nameOf(names[path] ?? {}, method);
      return { key: `${method} ${path}`, operation, name };
    }),
  );
  requireNames(operations, names);
  const taken = new Map<string, string>();
  for (const { key, operation, name = '' } of operations) {
    const [id, summary] = typeof name === 'string' ? [name] : name;
    if (taken.has(id)) throw new Error(`${taken.get(id)} and ${key} have the same id, ${id}`);
    taken.set(id, key);
    operation.operationId = id;
    if (summary !== undefined) operation.summary = summary;
  }
  return document;
};
