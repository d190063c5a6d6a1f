import * as errors from './errors.js';
import { LIMITS } from './limits.js';

const NAME = /^[a-zA-Z0-9_-]+$/;

/** Returns whether a text is a valid name or path variable (messaging contract 0.5). */
export const isName = (text: string): boolean => NAME.test(text);

/**
 * Checks a new name from a body. As in the original it may be any text, but not too long, without slashes and not `.` or `..`, which neither
 * paths nor references can hold (messaging contract 0.5). `variable` as in B02. @throws MessagingError B02
 */
export const requireNewName = (variable: string, name: string): void => {
  if (name.length > LIMITS.nameInBody.value || name.includes('/') || name === '.' || name === '..') throw errors.invalidName(variable);
};

/** Checks a name that has to be valid in paths. @throws MessagingError B02 */
export const requireName = (variable: string, name: string): void => {
  if (!isName(name)) throw errors.invalidName(variable);
};

/** Path variables with invalid names, in alphabetical order. */
export const wrongVariables = (variables: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(variables)
    .sort()
    .filter((variable) => !isName(String(variables[variable])));

/** A path variable followed by a literal verb: `T:publish`. The variable may be any text without slashes, so that it gets its own error. */
export const withVerb = <Variable extends string, Verb extends string>(variable: Variable, verb: Verb) =>
  `:${variable}(^[^/]+)::${verb}` as const;
