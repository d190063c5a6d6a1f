import { counted, duration } from '../../parts/figures.js';
import type { SubscriptionState } from './load.js';

type Settings = SubscriptionState['settings'];
type PushSettings = NonNullable<Settings['push']>;

const AUTHORIZATION: Readonly<Record<string, string>> = {
  autogen: 'a generated authorization header is sent',
  disabled: 'no authorization header is sent',
  none: 'no authorization header is sent',
};

/** The longest pause of a linear policy that goes on failing, in seconds, unless its period is longer (messaging contract 4.9). */
const LONGEST_PAUSE = 60;

const againText = (period: number): string =>
  `after ${duration(period)}${period < LONGEST_PAUSE ? `; after ten failures ever more rarely, up to ${duration(LONGEST_PAUSE)}` : ''}`;

const pausesText = (minimum: number, maximum: number): string =>
  maximum === 0 ? 'at once' : `after ${duration(minimum)}${minimum === maximum ? '' : ` to ${duration(maximum)}`}`;

const pushFacts = ({ type, endpoint, maxMessages, authorization, retryPolicy, verified, base64Decode }: PushSettings) =>
  [
    ['Push to', type === 'mattermost' ? endpoint : `${endpoint}${verified ? '' : ', not verified'}`],
    ['Messages of a push', `${counted(maxMessages, 'message')} at most${base64Decode ? ', decoded' : ''}`],
    ['Authorization', AUTHORIZATION[authorization] ?? authorization],
    ['Pushed again', retryPolicy.type === 'slowstart' ? 'after growing pauses' : againText(retryPolicy.period / 1_000)],
  ] as const;

const againOf = (policy: Settings['retryPolicy']): string =>
  policy ? pausesText(policy.minimumSeconds, policy.maximumSeconds) : 'after the deadline, or at once when given back';

/** Settings of a subscription in words, but for its policy for dead letters, which has a link. */
export const settingsFacts = ({
  settings,
  ackMode,
}: Pick<SubscriptionState, 'settings' | 'ackMode'>): readonly (readonly [string, string])[] => {
  const { filter, retryPolicy, messageRetentionSeconds, expiresAfterSeconds, labels, push } = settings;
  const isInOrder = ackMode === 'cursor';
  return [
    ['Delivery', push ? 'messages are pushed' : 'consumers pull'],
    ...(push ? pushFacts(push) : []),
    ['Acknowledgement', ackMode === 'message' ? 'each message by itself' : 'all messages up to an offset'],
    ['Deadline', duration(settings.ackDeadlineSeconds)],
    ['Filter', filter ?? 'none: all messages of the topic'],
    ...(push && isInOrder ? [] : [['Delivered again', againOf(retryPolicy)] as const]),
    ['Messages are kept', messageRetentionSeconds === null ? 'as long as those of the topic' : duration(messageRetentionSeconds)],
    ['Order', isInOrder ? 'as published' : settings.enableMessageOrdering ? 'messages of a key in order' : 'not promised'],
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
