import type { ExactJson } from '#domain/shared/json/exact-json.js';
import { exactNumber } from '#domain/shared/json/exact-number.js';
import { NumberText } from '#domain/shared/text/number-text.js';

type ExactObject = { readonly [member: string]: ExactJson };

/** One operation of a JSON Patch (RFC 6902), limited to the three that {@link patchBetween} produces. */
export type PatchOperation = Readonly<{ op: 'add' | 'replace'; path: string; value: ExactJson }> | Readonly<{ op: 'remove'; path: string }>;

/** Escapes a member name for a JSON Pointer (RFC 6901). */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const isObject = (value: ExactJson): value is ExactObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);

/** Text of a number that no JavaScript number holds; equal for equal numbers. */
const numberOf = (value: ExactJson): ExactJson => (value instanceof NumberText ? `${exactNumber(value.text)}` : null);

/** Whether two values are equal, regardless of the order of their members. */
const isSame = (one: ExactJson, other: ExactJson): boolean => {
  if (one === other) return true;
  if (one instanceof NumberText || other instanceof NumberText) return numberOf(one) === numberOf(other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSame(item, other[at] ?? null));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name] ?? null, other[name] ?? null))
  );
};

/**
 * Computes the patch that turns `before` into `after`. It compares objects member by member and arrays index by index, so the patch is not always minimal.
 * `null` stands for an absent value: the first value is added, the last one is replaced by `null`.
 */
export const patchBetween = (before: ExactJson, after: ExactJson): readonly PatchOperation[] => {
  if (before === null && after !== null) return [{ op: 'add', path: '', value: after }];
  return operations(before, after, '');
};

const operations = (before: ExactJson, after: ExactJson, path: string): readonly PatchOperation[] => {
  if (isSame(before, after)) return [];
  if (isObject(before) && isObject(after)) return ofMembers(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return ofItems(before, after, path);
  return [{ op: 'replace', path, value: after }];
};

const ofMembers = (before: ExactObject, after: ExactObject, path: string): readonly PatchOperation[] => [
  ...Object.keys(before).flatMap((name): readonly PatchOperation[] => {
    const at = `${path}/${escaped(name)}`;
    return Object.hasOwn(after, name) ? operations(before[name] ?? null, after[name] ?? null, at) : [{ op: 'remove', path: at }];
  }),
  ...Object.keys(after).flatMap((name): readonly PatchOperation[] =>
    Object.hasOwn(before, name) ? [] : [{ op: 'add', path: `${path}/${escaped(name)}`, value: after[name] ?? null }],
  ),
];

/** Keeps the common start and end of both arrays. Items in between are replaced by index, then added or removed. */
const ofItems = (before: readonly ExactJson[], after: readonly ExactJson[], path: string): readonly PatchOperation[] => {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start] ?? null, after[start] ?? null)) start += 1;
  let end = 0;
  while (end < shorter - start && isSame(before[before.length - 1 - end] ?? null, after[after.length - 1 - end] ?? null)) end += 1;
  const [oldEnd, newEnd] = [before.length - end, after.length - end];
  const patch: PatchOperation[] = [];
  for (let at = start; at < Math.min(oldEnd, newEnd); at++)
    patch.push(...operations(before[at] ?? null, after[at] ?? null, `${path}/${at}`));
  for (let at = oldEnd - 1; at >= newEnd; at--) patch.push({ op: 'remove', path: `${path}/${at}` });
  for (let at = oldEnd; at < newEnd; at++) patch.push({ op: 'add', path: `${path}/${at}`, value: after[at] ?? null });
  return patch;
};
