import { describe, expect, it } from '@jest/globals';
import { messageSample } from '#test/support/messaging/delivery-samples.js';
import { highestOffset, inOrder, messageText, publishTimeText, pullAnswer, type WireMessage, wireMessage } from './message-texts.js';

const project = { projectId: 'id', name: 'P' };
const renamed = { projectId: 'id', name: 'Zürich & "\n' };
const stored = messageSample(7, { publishTime: '2024-01-02T03:04:05.000Z', bytes: 4 });

const whole = (subscription: string, messages: readonly WireMessage[], of = project): string => {
  const { bytes, pieces, plain } = pullAnswer(of, subscription, messages.map(inOrder));
  const text = [...pieces].join('');
  expect([bytes, plain]).toEqual([Buffer.byteLength(text), Buffer.byteLength(text) === text.length]);
  return text;
};

describe('Messages', () => {
  it.each([
    ['.678', '.678'],
    ['.670', '.67'],
    ['.600', '.6'],
    ['.006', '.006'],
    ['.000', ''],
  ])('show a publish time with the fraction %s as %j', (fraction, shown) => {
    expect(publishTimeText(`2024-01-02T03:04:00${fraction}Z`)).toBe(`2024-01-02T03:04:00${shown}Z`);
  });

  it('have their members in order, and attributes only if there are some', () => {
    expect(messageText(stored)).toBe('{"messageId":"7","data":"YQ==","publishTime":"2024-01-02T03:04:05Z"}');
    expect(messageText({ ...stored, data: '', attributes: { a: 'b' } })).toBe(
      '{"messageId":"7","attributes":{"a":"b"},"data":"","publishTime":"2024-01-02T03:04:05Z"}',
    );
  });

  it('have attributes of any text, in the order of the bytes of their names', () => {
    const attributes = JSON.parse('{"b":"<&>","9":"","10":"\\"\\\\\\u0001","__proto__":"x","🎉":"1","\uff5e":"2","":"3"}');
    expect(messageText({ ...stored, attributes })).toContain(
      '"attributes":{"":"3","10":"\\"\\\\\\u0001","9":"","__proto__":"x","b":"\\u003c\\u0026\\u003e","\uff5e":"2","🎉":"1"}',
    );
  });

  it('may have any text as data', () => {
    for (const data of ['YQ==\r\nYg==', '<a href="b">&\u2028', 'é'])
      expect(JSON.parse(messageText({ ...stored, data }))).toMatchObject({ data });
    expect(messageText({ ...stored, data: '<' })).toContain('"\\u003c"');
  });

  it.each(['YQ==', 'é🎉'])('are delivered with the ids to acknowledge them by: %s', (data) => {
    const both = [7, 8].map((offset) => wireMessage({ ...stored, data, offset }));
    expect(whole('S', [])).toBe('{"receivedMessages":[]}');
    const message = (offset: number) => `{"messageId":"${offset}","data":"${data}","publishTime":"2024-01-02T03:04:05Z"}`;
    const received = [7, 8].map((offset) => `{"ackId":"projects/P/subscriptions/S:${offset}","message":${message(offset)}}`);
    expect(whole('S', both)).toBe(`{"receivedMessages":[${received.join()}]}`);
    const { receivedMessages } = JSON.parse(whole('S', both, renamed));
    expect(receivedMessages).toMatchObject([7, 8].map((offset) => ({ ackId: `projects/${renamed.name}/subscriptions/S:${offset}` })));
    expect(whole('S', both, renamed)).not.toMatch(/[&\n]/);
  });
});

describe('Ids to acknowledge', () => {
  const id = (offset: string) => `projects/P/subscriptions/S:${offset}`;

  it.each([
    [['0'], 0],
    [['3', '9', '4'], 9],
    [['-5', '-3'], -3],
    [['+7'], 7],
    [['007'], 7],
    [['9223372036854775807'], 2 ** 63],
    [['-9223372036854775808'], -(2 ** 63)],
  ])('%j have the highest offset %d', async (offsets, highest) => expect(await highestOffset(project, 'S', offsets.map(id))).toBe(highest));

  it.each([
    [],
    [''],
    ['S:1'],
    ['/projects/P/subscriptions/S:1'],
    ['projects/P/subscriptions/S'],
    [id('')],
    [id('x')],
    [id('1:2')],
    [id('1.0')],
    [id(' 1')],
    [id('1/')],
    [id('+')],
    [id('9223372036854775808')],
    [id('-9223372036854775809')],
    ['projects/Q/subscriptions/S:1'],
    ['projects/P/subscriptions/T:1'],
    ['projects/P/topics/S:1'],
    ['Projects/P/subscriptions/S:1'],
    [id('1'), id('x')],
  ])('%j are not accepted', async (...ackIds) => expect(await highestOffset(project, 'S', ackIds)).toBeUndefined());
});
