import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import type { Message } from './message-events.js';
import { type KnownIds, messages, rateOf, sizeOf } from './messages.js';

const at = (time: string) => `2024-01-02T03:04:${time}Z`;
const published = (message: Message, time: string) =>
  ({ type: 'MessagePublished', data: { projectId: 'p', publishTime: at(time), ...message } }) as const;
const publish = (now: string, ...sent: readonly Message[]) =>
  ({ type: 'PublishMessages', projectId: 'p', messages: sent, now: at(now) }) as const;

describe('publishing', () => {
  const given = deciderSpec(messages);
  const [a, b]: readonly Message[] = [{ data: 'YQ==' }, { data: '', attributes: { k: 'v' } }];

  it('stores the messages as sent, in order, with the time of the call', () =>
    given()
      .when(publish('05.678', a as Message, b as Message))
      .then(published(a as Message, '05.678'), published(b as Message, '05.678')));

  it.each([
    ['05.678', '05.678'],
    ['05.679', '05.679'],
    ['04.000', '05.678'],
  ])('never goes back in time: a message of %s is stored with %s', (now, time) =>
    given(published({ data: 'YQ==' }, '05.678'))
      .when(publish(now, { data: 'Yg==' }))
      .then(published({ data: 'Yg==' }, time)),
  );
});

describe('a deduplication id', () => {
  const given = deciderSpec(messages);
  const message = (deduplicationId: string): Message => ({ data: deduplicationId, deduplicationId });
  const at = (minute: number) => new Date(Date.UTC(2024, 0, 1, 0, minute)).toISOString();
  const stored = (id: string, minute: number) =>
    ({ type: 'MessagePublished', data: { projectId: 'p', publishTime: at(minute), ...message(id) } }) as const;
  const publishAt = (minute: number, known: KnownIds, ...ids: readonly string[]) =>
    ({ type: 'PublishMessages', projectId: 'p', messages: ids.map(message), now: at(minute), known }) as const;
  const nothing: KnownIds = { offsets: new Map(), upTo: 0 };

  it('is stored once, in one call and in several', () => {
    given()
      .when(publishAt(0, nothing, 'a', 'b', 'a'))
      .then(stored('a', 0), stored('b', 0));
    given(stored('a', 0))
      .when(publishAt(9, nothing, 'b', 'a'))
      .then(stored('b', 9));
    given(stored('a', 0))
      .when(publishAt(9, nothing, 'a'))
      .then();
  });

  it('is valid for ten minutes', () =>
    given(stored('a', 0))
      .when(publishAt(10, nothing, 'a'))
      .then(stored('a', 10)));

  it('may be known from a lookup before the folded events', () => {
    const offsets = new Map([['old', 7]]);
    given()
      .when(publishAt(0, { offsets, upTo: 9 }, 'old', 'new'))
      .then(stored('new', 0));
  });

  it('cannot be checked if there is a gap between the lookup and the folded events', () => {
    const many = Array.from({ length: 1_001 }, (_, index) => stored(`id${index}`, 0));
    given(...many)
      .when(publishAt(1, nothing, 'a'))
      .thenRejected('IDS_UNKNOWN', { from: 1 });
    given(...many)
      .when(publishAt(1, { offsets: new Map([['id0', 0]]), upTo: 1 }, 'id0', 'id1', 'id1000', 'a'))
      .then(stored('a', 1));
  });

  it('does not affect messages without one', () => {
    const many = Array.from({ length: 1_001 }, (_, index) => stored(`id${index}`, 0));
    given(...many)
      .when({ type: 'PublishMessages', projectId: 'p', messages: [{ data: 'x' }, { data: 'x' }], now: at(0) })
      .then(...[1, 2].map(() => ({ type: 'MessagePublished', data: { projectId: 'p', publishTime: at(0), data: 'x' } }) as const));
  });
});

it.each([
  ['', 0],
  ['YQ==', 4],
  ['é', 2],
  ['日🎉', 7],
])('the text %j has %i bytes', (text, bytes) => expect(sizeOf(text)).toBe(bytes));

it('the size of a long text is correct for any split during measurement', () => {
  expect(sizeOf('aé'.repeat(50_000))).toBe(150_000);
  for (let before = 0; before < 4; before++) expect(sizeOf(`${'a'.repeat(before)}${'😀'.repeat(40_000)}`)).toBe(before + 160_000);
});

it.each([
  [10, null, '05.000', 10],
  [10, '00.000', '05.000', 2],
  [3, '04.500', '05.000', 6],
  [0, '00.000', '05.000', 0],
  [2, '05.000', '05.000', 2_000],
  [2, '06.000', '05.000', 2_000],
])('%i messages since %s, counted at %s, are a rate of %d', (count, before, now, rate) =>
  expect(rateOf(count, before === null ? null : at(before), at(now))).toBe(rate),
);
