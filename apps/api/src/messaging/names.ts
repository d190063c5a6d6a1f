import * as errors from './errors.js';
import { LIMITS } from './limits.js';

const NAME = /^[a-zA-Z0-9_-]+$/;

/** Whether a text may be a name, or a path variable (messaging contract 0.5). */
export const isName = (text: string): boolean => NAME.test(text);

/**
 * A new name from a body: any text, as in the original, but not too long, and without slashes, which neither paths nor references can hold (messaging
 * contract 0.5). `variable` as in B02. @throws MessagingError B02
 */
export const requireNewName = (variable: string, name: string): void => {
  if (name.length > LIMITS.nameInBody.value || name.includes('/')) throw errors.invalidName(variable);
};

/** The same of a name that has to be fit for paths. @throws MessagingError B02 */
export const requireName = (variable: string, name: string): void => {
  if (!isName(name)) throw errors.invalidName(variable);
};

/** Names of the variables of a path that are no names, in the order of the alphabet. */
export const wrongVariables = (variables: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(variables)
    .sort()
    .filter((variable) => !isName(String(variables[variable])));

/** A path variable followed by a literal verb: `T:publish`. The variable is any text without a slash, so that an invalid name gets its own error. */
export const withVerb = <Variable extends string, Verb extends string>(variable: Variable, verb: Verb) =>
  `:${variable}(^[^/]+)::${verb}` as const;
