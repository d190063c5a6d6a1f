import type { FinalState, RecordRef, Violation } from '#test/faults/history.js';
import { groupBy, idsOf, type Write } from './writes.js';

/** What something refers to stays: of a removal and a reference that cross, one is refused. */
export const checkReferences = (writes: readonly Write[], final: FinalState): readonly Violation[] => {
  const removals = groupBy(
    writes.filter(({ operation, state }) => operation.kind === 'remove' && state !== 'not'),
    ({ operation }) => (operation.kind === 'remove' ? operation.record : ''),
  );
  return [...acknowledgedBoth(writes, removals), ...leadingNowhere(writes, final)];
};

const acknowledgedBoth = (writes: readonly Write[], removals: ReadonlyMap<RecordRef, readonly Write[]>): readonly Violation[] =>
  writes.flatMap((reference) => {
    const { operation, state, last } = reference;
    if (operation.kind !== 'create' || state !== 'done') return [];
    const own = removals.get(last.answer.told.record ?? '') ?? [];
    return operation.refersTo.flatMap((record) =>
      (removals.get(record) ?? [])
        .filter((removal) => removal.state === 'done' && !own.some(({ began }) => began < removal.ended))
        .map((removal) => ({
          rule: 'reference broken',
          detail: `${last.answer.told.record} refers to ${record}, and both the reference and the removal were acknowledged`,
          calls: idsOf(reference, removal),
        })),
    );
  });

/** In the end: what is listed refers to what is listed. */
const leadingNowhere = (writes: readonly Write[], final: FinalState): readonly Violation[] =>
  [...groupBy(final.calls, ({ node }) => node)].flatMap(([node, calls]) => {
    const listed = new Set<string>();
    const records = new Set<RecordRef>();
    const scopesShown = new Set<string>();
    for (const { operation, answer } of calls) {
      if (operation.kind !== 'list' || answer.outcome !== 'done') continue;
      scopesShown.add(operation.scope);
      for (const { record, name } of answer.told.entries ?? []) {
        listed.add(`${operation.scope} ${name}`);
        records.add(record);
      }
    }
    const scopeOf = new Map(
      writes.flatMap(({ operation, last }) =>
        operation.kind === 'create' && last.answer.told.record ? [[last.answer.told.record, operation.scope] as const] : [],
      ),
    );
    const isGone = (record: RecordRef): boolean => scopesShown.has(scopeOf.get(record) ?? '') && !records.has(record);
    return writes.flatMap((reference) => {
      const { operation, state } = reference;
      if (operation.kind !== 'create' || state === 'not' || !listed.has(`${operation.scope} ${operation.name}`)) return [];
      return operation.refersTo.filter(isGone).map((record) => ({
        rule: 'reference broken',
        detail: `in the end ${node} shows ${operation.scope} ${operation.name}, but not ${record}, to which it refers`,
        calls: idsOf(reference),
      }));
    });
  });
