import type { Call, Violation } from '#test/faults/history.js';
import { groupBy, isOpen } from './writes.js';

type CursorCall = Call & Readonly<{ subscription: string; topic: string }>;

const cursorCalls = (calls: readonly Call[]): readonly CursorCall[] =>
  calls.flatMap((call) => {
    const { operation } = call;
    if (operation.kind === 'acknowledge') return [{ ...call, subscription: operation.subscription, topic: '' }];
    if (operation.kind !== 'pull' && operation.kind !== 'offsets') return [];
    return [{ ...call, subscription: operation.subscription, topic: operation.topic }];
  });

/** Subscriptions: what was acknowledged does not come again, nothing is left out, counters do not go back. */
export const checkCursors = (calls: readonly Call[]): readonly Violation[] =>
  [...groupBy(cursorCalls(calls), ({ subscription }) => subscription).values()].flatMap((own) => [
    ...checkPulls(own),
    ...checkCounters(own),
    ...checkRefusedAcknowledgements(own),
    ...checkOwnMessages(own, calls),
  ]);

/** The offset behind what an acknowledgement covers. */
const coveredBy = ({ operation }: Call): number => (operation.kind === 'acknowledge' ? operation.offset + 1 : 0);

const checkPulls = (own: readonly CursorCall[]): readonly Violation[] => {
  const acknowledgements = own.filter(({ operation }) => operation.kind === 'acknowledge');
  const done = acknowledgements.filter(({ answer }) => answer.outcome === 'done');
  const possible = acknowledgements.filter(({ answer }) => answer.outcome === 'done' || isOpen(answer));
  return own.flatMap((pull) => {
    const messages = pull.answer.told.messages ?? [];
    const [first] = messages;
    if (pull.operation.kind !== 'pull' || !first) return [];
    const at = `${pull.subscription}: ${pull.node} delivers from ${first.offset}`;
    const least = Math.max(0, ...done.filter(({ ended }) => ended < pull.began).map(coveredBy));
    const most = Math.max(0, ...possible.filter(({ began }) => began < pull.ended).map(coveredBy));
    const isTorn = messages.some(({ offset }, index) => offset !== first.offset + index);
    return [
      ...(first.offset < least ? [{ rule: 'delivered again', detail: `${at}, ${least} were acknowledged`, calls: [pull.id] }] : []),
      ...(first.offset > most ? [{ rule: 'messages left out', detail: `${at}, ${most} were acknowledged`, calls: [pull.id] }] : []),
      ...(isTorn ? [{ rule: 'messages left out', detail: `${at}, with gaps`, calls: [pull.id] }] : []),
    ];
  });
};

/** `:offsets` at one node, for one client. */
const checkCounters = (own: readonly CursorCall[]): readonly Violation[] => {
  const shown = own.filter(({ operation, answer }) => operation.kind === 'offsets' && answer.outcome === 'done' && !answer.behind);
  return [...groupBy(shown, ({ client, node }) => `${client} at ${node}`).values()].flatMap((session) => {
    const seen = { max: 0, current: 0 };
    return session.flatMap(({ id, node, subscription, answer: { told } }) => {
      const violations = (['max', 'current'] as const).flatMap((counter) => {
        const value = told[counter] ?? 0;
        const detail = `${subscription}: ${node} shows ${counter} ${value} after ${seen[counter]}`;
        const isBack = value < seen[counter];
        seen[counter] = Math.max(seen[counter], value);
        return isBack ? [{ rule: 'back in time', detail, calls: [id] }] : [];
      });
      return violations;
    });
  });
};

/** Longer than anything that was not answered may still be under way. */
const OPEN_FOR_MS = 60_000;

/** With one consumer, what was just delivered can be acknowledged; 408 says that it took too long. */
const checkRefusedAcknowledgements = (own: readonly CursorCall[]): readonly Violation[] => {
  if (new Set(own.map(({ client }) => client)).size > 1) return [];
  return own.flatMap((call, index) => {
    const { operation, answer, id, began } = call;
    if (operation.kind !== 'acknowledge' || answer.status !== 409) return [];
    const earlier = own.slice(0, index).filter((one) => one.operation.kind !== 'offsets');
    const before = earlier.at(-1);
    const wasDelivered = before?.answer.told.messages?.some(({ offset }) => offset === operation.offset) === true;
    // What nobody was told of may have come in between.
    if (!wasDelivered || earlier.some((one) => isOpen(one.answer) && one.ended > began - OPEN_FOR_MS)) return [];
    return [{ rule: 'delivery forgotten', detail: `${call.subscription}: ${operation.offset} was just delivered`, calls: [before.id, id] }];
  });
};

/** Who published at a node finds the messages there, delivered and counted. */
const checkOwnMessages = (own: readonly CursorCall[], calls: readonly Call[]): readonly Violation[] => {
  const [{ topic } = { topic: '' }] = own.filter((call) => call.topic !== '');
  const published = calls.filter(
    ({ operation, answer }) => operation.kind === 'publish' && operation.topic === topic && answer.outcome === 'done' && !answer.behind,
  );
  const bySession = groupBy(published, ({ client, node }) => `${client} at ${node}`);
  return own.flatMap(({ id, client, node, began, operation, answer, subscription }) => {
    if (answer.outcome !== 'done' || answer.behind) return [];
    const mine = (bySession.get(`${client} at ${node}`) ?? []).filter(({ ended }) => ended < began);
    const last = Math.max(-1, ...mine.flatMap(({ answer: { told } }) => told.offsets ?? []));
    const messages = answer.told.messages ?? [];
    const isShort = operation.kind === 'pull' && messages.length < operation.atMost;
    if (isShort && messages.length > 0 && (messages.at(-1)?.offset ?? 0) < last)
      return [{ rule: 'own write not seen', detail: `${subscription}: ${node} does not deliver ${last}`, calls: [id] }];
    if (operation.kind === 'offsets' && (answer.told.max ?? 0) <= last)
      return [
        { rule: 'own write not seen', detail: `${subscription}: ${node} shows max ${answer.told.max}, ${last} is there`, calls: [id] },
      ];
    return [];
  });
};
