import { describe, expect, it } from '@jest/globals';
import { settingsFacts } from './settings.js';
import {
  ageRows,
  backlogText,
  consumersText,
  dataForms,
  perSecond,
  rateText,
  redrivenText,
  sentBackTo,
  shownText,
  troublesOf,
} from './texts.js';

const row = {
  ackMode: 'cursor',
  backlog: 3,
  exact: true,
  outstanding: 0,
  oldestPublishedAt: '2026-03-01T12:00:00Z',
  pushState: null,
  deadLetters: null,
  deadLettersKept: null,
} as const;
const NOW = Date.parse('2026-03-01T12:30:00Z');

describe('texts of a subscription', () => {
  it('say what waits as exactly as it is known', () => {
    expect(backlogText(row)).toBe('3');
    expect(backlogText({ ...row, exact: false })).toBe('at most 3');
    expect(backlogText({ ...row, outstanding: null })).toBe('3, leases are held by another node');
    expect(backlogText({ ...row, exact: false, outstanding: 2 })).toBe('at most 3, 2 leased');
  });

  it('say how many of all subscriptions an order has, and how many of them are shown', () => {
    const items = [{}, {}];
    expect(shownText({ items, total: 2, all: 2 })).toBe('');
    expect(shownText({ items, total: 2, all: 17 })).toBe('2 of 17 subscriptions. ');
    expect(shownText({ items, total: 2, all: 17 }, 'those whose push fails')).toBe('2 of 17 subscriptions: those whose push fails. ');
    expect(shownText({ items, total: 2, all: 2 }, 'those whose push fails')).toBe('');
    expect(shownText({ items, total: 1_200, all: 1_200 })).toBe('The first 2 of 1,200. ');
    expect(shownText({ items, total: 120, all: 1_200 })).toBe('The first 2 of 120 of 1,200 subscriptions. ');
  });

  it('say that pushes are attempted, and of a rate that is nearly nothing that it is more', () => {
    expect(rateText(1 / 60)).toBe('1 message in the last minute');
    expect(rateText(1 / 60, 'attempted ')).toBe('1 message attempted in the last minute');
    expect([0, 1, 4, 720, 72_000].map(perSecond)).toEqual(['0 /s', '< 0.001 /s', '0.001 /s', '0.2 /s', '20 /s']);
  });

  it('count consumers, but not the workers that push', () => {
    const push = { state: 'active' };
    const of = (streams: number, waiting: number | null) => ({ consumers: { streams, waiting }, outstanding: 0, push: null });
    expect(consumersText(of(0, 0))).toBe('none is connected now');
    expect(consumersText(of(1, 2))).toBe('2 connected');
    expect(consumersText({ ...of(0, 1), push })).toBe('its push endpoint');
    expect(consumersText({ ...of(2, 1), push })).toBe('2 connected');
    expect(consumersText({ ...of(0, null), outstanding: null })).toBe('leases are held by another node');
  });

  it('name what somebody has to look at', () => {
    expect(troublesOf(row, NOW)).toEqual([]);
    expect(troublesOf(row, NOW + 3_600_000)).toEqual(['waits too long']);
    expect(troublesOf({ ...row, exact: false }, NOW + 3_600_000)).toEqual([]);
    expect(troublesOf({ ...row, pushState: 'not verified' }, NOW)).toEqual(['push is not verified']);
    expect(troublesOf({ ...row, pushState: 'failing', deadLetters: { count: 1 } }, NOW)).toEqual(['push fails', 'has dead letters']);
  });

  it('add ages up, with a bound where one of them is one', () => {
    const counts = [0, 60, 600, 3_600, 86_400].map((from) => ({ from, messages: 1_000, exact: from !== 600 }));
    expect(ageRows(counts)).toEqual([
      { age: 'under 1 minute', messages: '1,000' },
      { age: '1 to 10 minutes', messages: '1,000' },
      { age: '10 minutes to 1 hour', messages: 'at most 1,000' },
      { age: '1 hour to 1 day', messages: '1,000' },
      { age: 'older than 1 day', messages: '1,000' },
      { age: 'all', messages: 'at most 5,000' },
    ]);
  });

  it('say what became of a redrive', () => {
    expect(redrivenText({ redriven: 1, kept: 0 })).toBe('Redriven 1 message');
    expect(redrivenText({ redriven: 3, kept: 1 })).toBe('Redriven 3 messages. 1 message stays, because its topic or subscription is gone.');
  });

  it('sends them back to the topics that they came from', () => {
    expect(sentBackTo(1, false)).toEqual({ they: 'it', them: 'it', topics: 'the topic that it came from', such: 'that topic' });
    expect(sentBackTo(2, true)).toEqual({ they: 'they', them: 'them', topics: 'the topic that they came from', such: 'that topic' });
    expect(sentBackTo(2, false)).toMatchObject({ topics: 'the topics that they came from', such: 'such a topic' });
  });
});

describe('settings of a subscription', () => {
  type Facts = Parameters<typeof settingsFacts>[0];
  type Push = NonNullable<Facts['settings']['push']>;
  const pushed = (period: number): Push => ({
    ...{ type: 'http_endpoint', endpoint: 'https://desk.example/in', maxMessages: 1, authorization: 'none', verified: true },
    ...{ base64Decode: false, retryPolicy: { type: 'linear', period } },
  });
  const none = {
    ...{ createdAt: '2026-03-01T12:00:00Z', ackDeadlineSeconds: 10, filter: null, messageRetentionSeconds: null, deadLetterPolicy: null },
    ...{
      enableMessageOrdering: false,
      enableExactlyOnceDelivery: false,
      expiresAfterSeconds: null,
      labels: {},
      retryPolicy: null,
      push: null,
    },
  };
  const said = (ackMode: Facts['ackMode'], settings: Partial<Facts['settings']>) =>
    Object.fromEntries(settingsFacts({ settings: { ...none, ...settings }, ackMode }));
  const again = (minimumSeconds: number, maximumSeconds: number) =>
    said('message', { retryPolicy: { minimumSeconds, maximumSeconds } })['Delivered again'];

  it('say of a push with a cursor that messages come in order, and when they are pushed again', () => {
    const facts = said('cursor', { push: pushed(3_000) });
    expect(facts).toMatchObject({ Order: 'as published', 'Pushed again': 'after 3 s; after ten failures ever more rarely, up to 1 min' });
    expect(facts).not.toHaveProperty('Delivered again');
    expect(said('cursor', { push: pushed(90_000) })['Pushed again']).toBe('after 1 min 30 s');
  });

  it('say pauses that are the same once', () => {
    expect([again(0, 0), again(5, 5), again(5, 60)]).toEqual(['at once', 'after 5 s', 'after 5 s to 1 min']);
    expect(said('message', {})).toMatchObject({
      Order: 'not promised',
      'Delivered again': 'after the deadline, or at once when given back',
    });
  });
});

describe('data of a message', () => {
  it('are shown in the forms that they have, the best one first', () => {
    const formsOf = (text: string) => dataForms(btoa(text)).map(([form]) => form);
    expect(dataForms('eyJhIjoxfQ==')[0]).toEqual(['JSON', '{\n  "a": 1\n}']);
    expect(formsOf('a line\nanother')).toEqual(['text', 'hex']);
    expect(formsOf('\0\u0001')).toEqual(['hex', 'text']);
    expect(dataForms('/w==')).toEqual([['hex', 'ff']]);
    expect(dataForms('no base64!')[0]).toEqual(['text', 'no base64!']);
  });
});
