import type { MessagingError } from './errors.js';
import * as errors from './errors.js';

const NAME = /^[a-zA-Z0-9_-]+$/;

/** Whether a text may be a name, or a path variable (messaging contract 0.5). */
export const isName = (text: string): boolean => NAME.test(text);

/** A new name from a body; `variable` as in B02. @throws MessagingError B02 */
export const requireName = (variable: string, name: string): void => {
  if (!isName(name)) throw errors.invalidName(variable);
};

/** What is wrong with the variables of a path: the first in the order of their names is told. */
export const wrongVariable = (variables: Readonly<Record<string, unknown>>): MessagingError | undefined => {
  const wrong = Object.keys(variables)
    .sort()
    .find((variable) => !isName(String(variables[variable])));
  return wrong === undefined ? undefined : errors.invalidName(wrong);
};

/** A path variable with a literal verb behind it: `T:publish`. Any text but a slash counts as the variable, so that a wrong name is told as such. */
export const withVerb = <Variable extends string, Verb extends string>(variable: Variable, verb: Verb) =>
  `:${variable}(^[^/]+)::${verb}` as const;
