/**
 * The code of an error of the system, such as `ENOENT`; `undefined`: it has none. Not asked by class: errors of Node's own modules belong to another
 * realm under jest.
 */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
