import { counted, duration } from '../../parts/figures.js';
import type { SubscriptionState } from './load.js';

type Settings = SubscriptionState['settings'];
type PushSettings = NonNullable<Settings['push']>;

const AUTHORIZATION: Readonly<Record<string, string>> = {
  autogen: 'a generated authorization header is sent',
  disabled: 'no authorization header is sent',
  none: 'no authorization header is sent',
};

const pushFacts = ({ type, endpoint, maxMessages, authorization, retryPolicy, verified, base64Decode }: PushSettings) =>
  [
    ['Push to', type === 'mattermost' ? endpoint : `${endpoint}${verified ? '' : ', not verified'}`],
    ['Messages of a push', `${counted(maxMessages, 'message')} at most${base64Decode ? ', decoded' : ''}`],
    ['Authorization', AUTHORIZATION[authorization] ?? authorization],
    ['Pushed again', retryPolicy.type === 'slowstart' ? 'after growing pauses' : `after ${duration(retryPolicy.period / 1_000)}`],
  ] as const;

/** Settings of a subscription in words. */
export const settingsFacts = ({
  settings,
  ackMode,
}: Pick<SubscriptionState, 'settings' | 'ackMode'>): readonly (readonly [string, string])[] => {
  const { filter, deadLetterPolicy, retryPolicy, messageRetentionSeconds, expiresAfterSeconds, labels, push } = settings;
  return [
    ['Delivery', push ? 'messages are pushed' : 'consumers pull'],
    ...(push ? pushFacts(push) : []),
    ['Acknowledgement', ackMode === 'message' ? 'each message by itself' : 'all messages up to an offset'],
    ['Deadline', duration(settings.ackDeadlineSeconds)],
    ['Filter', filter ?? 'none: all messages of the topic'],
    [
      'Dead letters',
      deadLetterPolicy ? `to ${deadLetterPolicy.topic} after ${counted(deadLetterPolicy.maxDeliveryAttempts, 'attempt')}` : 'no policy',
    ],
    [
      'Delivered again',
      retryPolicy
        ? `after ${duration(retryPolicy.minimumSeconds)} to ${duration(retryPolicy.maximumSeconds)}`
        : 'after the deadline, or at once when given back',
    ],
    ['Messages are kept', messageRetentionSeconds === null ? 'as long as those of the topic' : duration(messageRetentionSeconds)],
    ['Order', settings.enableMessageOrdering ? 'messages of a key in order' : 'not promised'],
    ['Exactly once', settings.enableExactlyOnceDelivery ? 'yes' : 'no'],
    ['Deleted unused', expiresAfterSeconds === null ? 'never' : `after ${duration(expiresAfterSeconds)}`],
    [
      'Labels',
      Object.entries(labels)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', ') || 'none',
    ],
  ];
};
