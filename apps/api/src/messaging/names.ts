import type { MessagingError } from './errors.js';
import * as errors from './errors.js';

const NAME = /^[a-zA-Z0-9_-]+$/;

/** Whether a text may be a name, or a path variable (messaging contract 0.5). */
export const isName = (text: string): boolean => NAME.test(text);

/** A new name from a body; `variable` as in B02. @throws MessagingError B02 */
export const requireName = (variable: string, name: string): void => {
  if (!isName(name)) throw errors.invalidName(variable);
};

/** The error for the variables of a path: for the first invalid one in the order of their names; `undefined` if all are valid. */
export const wrongVariable = (variables: Readonly<Record<string, unknown>>): MessagingError | undefined => {
  const wrong = Object.keys(variables)
    .sort()
    .find((variable) => !isName(String(variables[variable])));
  return wrong === undefined ? undefined : errors.invalidName(wrong);
};

/** A path variable followed by a literal verb: `T:publish`. The variable is any text without a slash, so that an invalid name gets its own error. */
export const withVerb = <Variable extends string, Verb extends string>(variable: Variable, verb: Verb) =>
  `:${variable}(^[^/]+)::${verb}` as const;
