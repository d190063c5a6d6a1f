import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './describe.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** `optionsOfGetReport` for the path of `getReport`. */
const idOfOptions = (operations: Readonly<Record<string, Operation>>): string => {
  const id = METHODS.flatMap((method) => operations[method]?.operationId ?? [])[0] ?? '';
  return `optionsOf${id.charAt(0).toUpperCase()}${id.slice(1)}`;
};

/**
 * Gives OPTIONS of each path an id that is derived from those of its other operations.
 * @param declared ids that routes declare
 * @throws an operation has no id, or two have the same
 */
export const completeIds = (document: OpenAPIObject, declared: ReadonlySet<string>): OpenAPIObject => {
  const taken = new Map<string, string>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods as Record<string, Operation>)) {
      if (method === 'options') operation.operationId = idOfOptions(methods as Record<string, Operation>);
      else if (!declared.has(operation.operationId ?? ''))
        throw new Error(`no operation id: ${method} ${path}; its route declares nothing`);
      const { operationId: id = '' } = operation;
      if (taken.has(id)) throw new Error(`${taken.get(id)} and ${method} ${path} have the same id, ${id}`);
      taken.set(id, `${method} ${path}`);
    }
  return document;
};
