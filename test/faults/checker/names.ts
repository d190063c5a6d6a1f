import type { Call, FinalState, RecordRef, Violation } from '#test/faults/history.js';
import { groupBy, idsOf, type Write } from './writes.js';

type Creation = Write & Readonly<{ scope: string; name: string; record: RecordRef | undefined }>;

const creationsOf = (writes: readonly Write[]): readonly Creation[] =>
  writes.flatMap((write) => {
    const { operation, last } = write;
    if (operation.kind !== 'create' || operation.name === null) return [];
    return [{ ...write, scope: operation.scope, name: operation.name, record: last.answer.told.record }];
  });

const keyOf = ({ scope, name }: Readonly<{ scope: string; name: string }>): string => `${scope} ${name}`;

/** A name belongs to one record at a time, an intent makes one record, and nobody is refused a name that was never asked for. */
export const checkNames = (writes: readonly Write[], final: FinalState): readonly Violation[] => {
  const creations = creationsOf(writes);
  const removals = groupBy(
    writes.filter(({ operation, state }) => operation.kind === 'remove' && state !== 'not'),
    ({ operation }) => (operation.kind === 'remove' ? operation.record : ''),
  );
  const wasRemovedBefore = (one: Creation, other: Creation): boolean =>
    (removals.get(one.record ?? '') ?? []).some(({ began }) => began < other.ended);
  const byName = groupBy(creations, keyOf);
  return [
    ...creations.flatMap(doubled),
    ...[...byName.values()].flatMap((rivals) => [...twice(rivals, wasRemovedBefore), ...refusedForNothing(rivals)]),
    ...final.calls.flatMap((call) => endsOf(call, byName)),
  ];
};

const doubled = ({ calls, scope, name }: Creation): readonly Violation[] => {
  const records = new Set(calls.flatMap(({ answer }) => answer.told.record ?? []));
  if (records.size <= 1) return [];
  return [{ rule: 'intent done twice', detail: `${scope} ${name}: ${[...records].join(', ')}`, calls: calls.map(({ id }) => id) }];
};

const twice = (rivals: readonly Creation[], wasRemovedBefore: (one: Creation, other: Creation) => boolean): readonly Violation[] => {
  const done = rivals.filter(({ state }) => state === 'done');
  return done.flatMap((one, index) =>
    done
      .slice(index + 1)
      .filter((other) => !wasRemovedBefore(one, other) && !wasRemovedBefore(other, one))
      .map((other) => ({ rule: 'name given twice', detail: `${keyOf(one)}: ${one.record}, ${other.record}`, calls: idsOf(one, other) })),
  );
};

/** What refers to something may be refused because of that. */
const refusedForNothing = (rivals: readonly Creation[]): readonly Violation[] =>
  rivals
    .filter(({ operation }) => operation.kind === 'create' && operation.refersTo.length === 0)
    .flatMap((one) =>
      one.calls
        .filter(
          ({ answer, ended }) =>
            answer.status === 409 && !rivals.some((other) => other !== one && other.state !== 'not' && other.began < ended),
        )
        .map(({ id }) => ({ rule: 'refused without reason', detail: `${keyOf(one)}: nobody else asked for the name`, calls: [id] })),
    );

const endsOf = ({ id, node, operation, answer }: Call, byName: ReadonlyMap<string, readonly Creation[]>): readonly Violation[] => {
  if (operation.kind !== 'list' || answer.outcome !== 'done') return [];
  const { scope } = operation;
  const entries = groupBy(answer.told.entries ?? [], ({ name }) => name);
  return [...entries].flatMap(([name, found]) => {
    const makers = (byName.get(`${scope} ${name}`) ?? []).filter(({ state }) => state !== 'not');
    const violations: Violation[] = [];
    if (found.length > 1)
      violations.push({
        rule: makers.length > 1 ? 'name given twice' : 'intent done twice',
        detail: `${scope} ${name}: in the end ${node} shows ${found.map(({ record }) => record).join(', ')}`,
        calls: [...idsOf(...makers), id],
      });
    if (makers.length === 0) violations.push({ rule: 'from nowhere', detail: `${scope} ${name}: ${node} shows it`, calls: [id] });
    return violations;
  });
};
