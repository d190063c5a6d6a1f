import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import type { Message } from './message-events.js';
import { messages, rateOf, sizeOf } from './messages.js';

const at = (time: string) => `2024-01-02T03:04:${time}Z`;
const published = (message: Message, time: string) =>
  ({ type: 'MessagePublished', data: { projectId: 'p', publishTime: at(time), ...message } }) as const;
const publish = (now: string, ...sent: readonly Message[]) =>
  ({ type: 'PublishMessages', projectId: 'p', messages: sent, now: at(now) }) as const;

describe('Publishing', () => {
  const given = deciderSpec(messages);
  const [a, b]: readonly Message[] = [{ data: 'YQ==' }, { data: '', attributes: { k: 'v' } }];

  it('stores what was sent, message by message, at the time of the call', () =>
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

it.each([
  ['', 0],
  ['YQ==', 4],
  ['é', 2],
  ['日🎉', 7],
])('The text %j has %i bytes', (text, bytes) => expect(sizeOf(text)).toBe(bytes));

it('The size of a long text is right wherever it is cut for measuring', () => {
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
