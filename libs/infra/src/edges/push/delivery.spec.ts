import { describe, expect, it } from '@jest/globals';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { deliveryOf, type PushMessage } from './delivery.js';

const push: PushConfiguration = {
  ...pushSample,
  pushEndpoint: 'https://example.org/in?a=1',
  authorization: { type: 'autogen', value: 'secret' },
};
const mattermost: PushConfiguration = {
  ...push,
  type: 'mattermost',
  authorization: { type: '', value: '' },
  mattermostUrl: 'https://chat.example.org/hook',
};
const first: PushMessage = { messageId: '4', attributes: { a: 'b' }, data: 'w6k=', publishTime: '2024-01-02T03:04:05.6Z' };
const second: PushMessage = { messageId: '5', data: 'no base64', publishTime: '2024-01-02T03:04:06Z' };
const NAME = 'projects/p/subscriptions/s';

describe('a delivery', () => {
  it('is the message itself if messages are sent one at a time', () =>
    expect(deliveryOf(push, NAME, [first])).toEqual({
      url: 'https://example.org/in?a=1',
      headers: { 'content-type': 'application/json', authorization: 'secret' },
      body: '{"message":{"messageId":"4","attributes":{"a":"b"},"data":"w6k=","publishTime":"2024-01-02T03:04:05.6Z"},"subscription":"projects/p/subscriptions/s"}',
      accepted: new Set([200, 201, 204, 102]),
    }));

  it.each([[[first]], [[first, second]]])('is a list if several messages are sent at a time', (messages) =>
    expect(JSON.parse(deliveryOf({ ...push, maxMessages: 2 }, NAME, messages).body)).toEqual({
      messages: messages.map((message) => ({ message, subscription: NAME })),
    }),
  );

  it('leaves out missing members', () => {
    const { headers, body } = deliveryOf({ ...push, authorization: { type: 'disabled', value: '' } }, NAME, [second]);
    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(body).toBe(
      '{"message":{"messageId":"5","data":"no base64","publishTime":"2024-01-02T03:04:06Z"},"subscription":"projects/p/subscriptions/s"}',
    );
  });

  it('has attributes in the order of their bytes', () => {
    const attributes = { b: '1', '9': '"', '10': 'x', a: '2' };
    expect(deliveryOf(push, NAME, [{ ...first, attributes }]).body).toContain('"attributes":{"10":"x","9":"\\"","a":"2","b":"1"},"data"');
  });

  it.each([
    ['YWJj\r\nZA==\n', 'abcd'],
    ['YR==', 'a'],
    ['YQ', 'YQ'],
    ['YQ===', 'YQ==='],
  ])('contains %j decoded as it was taken at publish', (data, expected) =>
    expect(JSON.parse(deliveryOf({ ...push, base64Decode: true }, NAME, [{ ...first, data }]).body).message.data).toBe(expected),
  );

  it('contains decoded data if that is wanted and possible', () => {
    const { messages } = JSON.parse(deliveryOf({ ...push, maxMessages: 2, base64Decode: true }, NAME, [first, second]).body);
    expect(messages.map(({ message }: { message: PushMessage }) => message.data)).toEqual(['é', 'no base64']);
  });

  it.each([
    [mattermost, '{"text":"w6k="}'],
    [{ ...mattermost, base64Decode: true }, '{"text":"é"}'],
    [{ ...mattermost, mattermostUsername: 'bot', mattermostChannel: 'ops' }, '{"text":"w6k=","username":"bot","channel":"ops"}'],
  ])('to mattermost is a post', (configuration, body) =>
    expect(deliveryOf(configuration, NAME, [first])).toEqual({
      url: 'https://chat.example.org/hook',
      headers: { 'content-type': 'application/json' },
      body,
      accepted: new Set([200]),
    }),
  );
});
