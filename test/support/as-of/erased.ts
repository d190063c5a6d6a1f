import { isDeepStrictEqual } from 'node:util';
import type { SealedMember } from '#projections/shared/projection.js';

type Json = null | boolean | number | string | readonly Json[] | { [name: string]: Json };

/** Puts what is erased in one text into the place of what it was in the other. */
const copyErased = (then: Json, now: Json, path: readonly string[], erased: string): void => {
  const [name = '', ...rest] = path;
  const [before, after] = [then, now] as Record<string, Json>[];
  if (typeof then !== 'object' || typeof now !== 'object' || !before || !after) return;
  const member = name.replace('[]', '');
  const [one, other] = [before[member], after[member]];
  if (one === undefined || other === undefined) return;
  if (rest.length === 0) {
    if (JSON.stringify(other) === erased) before[member] = other;
  } else if (Array.isArray(one) && Array.isArray(other)) {
    for (const [index, item] of one.entries()) copyErased(item, other[index] ?? null, rest, erased);
  } else copyErased(one, other, rest, erased);
};

/** Whether the text of a document differs from what it was in nothing but sealed members that are erased now. */
export const isErasure = (then: string, now: string, sealed: readonly SealedMember[]): boolean => {
  const listed = (text: string): readonly Json[] => (isJson(text) ? [JSON.parse(text)] : JSON.parse(`[${text}]`));
  const [ones, others] = [listed(then), listed(now)];
  for (const { path, erased = '""' } of sealed)
    for (const [index, one] of ones.entries()) copyErased(one, others[index] ?? null, path.split('.'), erased);
  return isDeepStrictEqual(ones, others);
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
