import type { Json } from '#domain/shared/events.js';

/** In a path: every item of a list. */
const EACH = Symbol('each');

/** A parsed path such as `items[].notifications.contacts`. */
export type MemberPath = readonly (string | typeof EACH)[];

export const memberPath = (text: string): MemberPath =>
  isNested(text) ? text.split('.').flatMap((step) => (step.endsWith('[]') ? [step.slice(0, -2), EACH] : [step])) : [text];

/** Returns whether a path leads deeper than a top-level member. */
export const isNested = (text: string): boolean => /[.[]/.test(text);

/** Copy in which `map` replaces the values at the path, except `null`; the same object if there are none. */
export const mapAt = (value: Json, path: MemberPath, map: (found: Json) => Json, from = 0): Json => {
  const step = path[from];
  if (step === undefined) return value === null ? null : map(value);
  if (step === EACH) {
    if (!Array.isArray(value)) return value;
    const items = value.map((item) => mapAt(item, path, map, from + 1));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return value;
  const before = value[step] ?? null;
  const after = mapAt(before, path, map, from + 1);
  return after === before ? value : { ...value, [step]: after };
};

/** Returns whether the path holds a value other than `null`. */
export const hasAt = (value: Json | undefined, path: MemberPath, from = 0): boolean => {
  const step = path[from];
  if (value === undefined || value === null) return false;
  if (step === undefined) return true;
  if (step === EACH) return Array.isArray(value) && value.some((item) => hasAt(item, path, from + 1));
  return isObject(value) && Object.hasOwn(value, step) && hasAt(value[step], path, from + 1);
};

const isObject = (value: Json): value is { readonly [member: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
