import type { Call, Delivered, FinalState, Violation } from '#test/faults/history.js';
import { groupBy, idsOf, type Write } from './writes.js';

type Publish = Write & Readonly<{ topic: string; texts: readonly string[]; offsets: readonly number[] }>;

const publishesOf = (writes: readonly Write[]): readonly Publish[] =>
  writes.flatMap((write) => {
    const { operation, last } = write;
    return operation.kind === 'publish'
      ? [{ ...write, topic: operation.topic, texts: operation.texts, offsets: last.answer.told.offsets ?? [] }]
      : [];
  });

/** The messages of a topic: what was acknowledged is there, where it was said to be, once, whole, and in the order of the calls. */
export const checkTopics = (writes: readonly Write[], calls: readonly Call[], final: FinalState): readonly Violation[] => {
  const byTopic = groupBy(publishesOf(writes), ({ topic }) => topic);
  return Object.entries(final.topics).flatMap(([topic, messages]) => {
    const publishes = byTopic.get(topic) ?? [];
    return [
      ...checkLog(topic, messages, publishes),
      ...publishes.flatMap((publish) => checkPublish(publish, messages)),
      ...checkOrder(publishes),
      ...calls.flatMap((call) => checkDelivered(call, topic, messages)),
    ];
  });
};

const checkLog = (topic: string, messages: readonly Delivered[], publishes: readonly Publish[]): readonly Violation[] => {
  const sent = new Map(publishes.flatMap((publish) => publish.texts.map((text) => [text, publish] as const)));
  const gap = messages.findIndex(({ offset }, index) => offset !== index);
  const violations: Violation[] = gap < 0 ? [] : [{ rule: 'gap in a topic', detail: `${topic}: nothing at offset ${gap}`, calls: [] }];
  for (const [text, found] of groupBy(messages, (message) => message.text)) {
    const publish = sent.get(text);
    const where = `${topic}: ${text} at ${found.map(({ offset }) => offset).join(', ')}`;
    if (!publish) violations.push({ rule: 'from nowhere', detail: where, calls: [] });
    else if (publish.state === 'not') violations.push({ rule: 'refused write took effect', detail: where, calls: idsOf(publish) });
    else if (found.length > 1) violations.push({ rule: 'message doubled', detail: where, calls: idsOf(publish) });
  }
  return violations;
};

const checkPublish = (publish: Publish, messages: readonly Delivered[]): readonly Violation[] => {
  const { topic, texts, offsets, calls, state } = publish;
  const told = calls.flatMap(({ answer }) => (answer.told.offsets ? [answer.told.offsets.join()] : []));
  if (new Set(told).size > 1)
    return [{ rule: 'intent done twice', detail: `${topic}: at ${told.join(' and at ')}`, calls: idsOf(publish) }];
  if (state === 'not') return [];
  const places = state === 'done' ? offsets : placesOf(texts, messages);
  if (places === undefined) return [];
  const isWhole = places.length === texts.length && places.every((offset, index) => offset === (places[0] ?? 0) + index);
  if (!isWhole)
    return [{ rule: 'publish torn', detail: `${topic}: ${texts.length} messages at ${places.join(', ')}`, calls: idsOf(publish) }];
  const lost = texts.findIndex((text, index) => messages[places[index] ?? -1]?.text !== text);
  if (lost < 0) return [];
  const detail = `${topic}: ${texts[lost]} is not at ${places[lost]}, but ${messages[places[lost] ?? -1]?.text ?? 'nothing'}`;
  return [{ rule: 'acknowledged write lost', detail, calls: idsOf(publish) }];
};

/** Where the messages of a call are that nobody was told about; undefined: nowhere. */
const placesOf = (texts: readonly string[], messages: readonly Delivered[]): readonly number[] | undefined => {
  const wanted = new Set(texts);
  const places = messages.filter(({ text }) => wanted.has(text)).map(({ offset }) => offset);
  return places.length === 0 ? undefined : places;
};

/** A call that began after another had been answered comes behind it. */
const checkOrder = (publishes: readonly Publish[]): readonly Violation[] => {
  const done = publishes.filter(({ state, offsets }) => state === 'done' && offsets.length > 0);
  const byEnd = [...done].sort((one, other) => one.ended - other.ended);
  const violations: Violation[] = [];
  let next = 0;
  let highest: Publish | undefined;
  for (const publish of done) {
    for (; (byEnd[next]?.ended ?? Number.POSITIVE_INFINITY) < publish.began; next++) {
      const earlier = byEnd[next] as Publish;
      if (Math.max(...earlier.offsets) > Math.max(-1, ...(highest?.offsets ?? []))) highest = earlier;
    }
    if (highest && Math.max(...highest.offsets) > Math.min(...publish.offsets))
      violations.push({
        rule: 'messages out of order',
        detail: `${publish.topic}: ${publish.offsets[0]} was published after ${highest.offsets.at(-1)}`,
        calls: idsOf(highest, publish),
      });
  }
  return violations;
};

const checkDelivered = ({ id, node, operation, answer }: Call, topic: string, messages: readonly Delivered[]): readonly Violation[] => {
  if (operation.kind !== 'pull' || operation.topic !== topic) return [];
  return (answer.told.messages ?? [])
    .filter(({ offset, text }) => messages[offset]?.text !== text)
    .map(({ offset, text }) => ({ rule: 'wrong message delivered', detail: `${topic}: ${node} shows ${text} at ${offset}`, calls: [id] }));
};
