import { DomainError } from './decider.js';

/** A bound of a service (docs/limits.md). `says`: the text for callers, with the value in place of `%`. */
export type Limit = Readonly<{ value: number; unit: string; says: string }>;

/** Error texts of a service for exceeded limits. */
export const tellingOf = <Name extends string>(limits: Readonly<Record<Name, Limit>>) => {
  const limitText = (name: Name): string => {
    const { value, unit, says } = limits[name];
    return says.replace('%', `${value.toLocaleString('en-US')} ${unit}`);
  };
  return { limitText, overLimit: (name: Name): DomainError => new DomainError('OVER_LIMIT', { text: limitText(name) }) };
};
