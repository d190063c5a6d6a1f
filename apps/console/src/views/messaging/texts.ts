import { type PushStateName, pushFails } from '#domain/messaging/push/push-state.js';
import { FINDINGS } from '#domain/operations/finding-kinds.js';
import { count, counted } from '../../parts/figures.js';

/** A figure, or a bound of it. */
const atMost = (figure: number, exact: boolean): string => `${exact ? '' : 'at most '}${count(figure)}`;

/** A count that may be more. */
export const atLeast = ({ count: known, exact }: Readonly<{ count: number; exact: boolean }>): string =>
  `${exact ? '' : 'at least '}${count(known)}`;

export const ELSEWHERE = 'leases are held by another node';

type Waiting = Readonly<{ ackMode: string; backlog: number; exact: boolean; outstanding: number | null }>;

/** What waits, with what is leased of it, as far as the node that answered knows. */
export const backlogText = ({ backlog, exact, outstanding }: Waiting): string => {
  const waiting = atMost(backlog, exact);
  if (outstanding === null) return `${waiting}, ${ELSEWHERE}`;
  return outstanding > 0 ? `${waiting}, ${count(outstanding)} leased` : waiting;
};

/** A count of messages that wait, or a bound of it. */
export const waitingText = ({ backlog, exact }: Pick<Waiting, 'backlog' | 'exact'>): string => atMost(backlog, exact);

type Connected = Readonly<{
  consumers: Readonly<{ streams: number; waiting: number | null }>;
  outstanding: number | null;
  push: object | null;
}>;

/** Consumers that are connected now, in words. Workers that push wait for messages like consumers, but do not count. */
export const consumersText = ({ consumers: { streams, waiting }, outstanding, push }: Connected): string => {
  if (outstanding === null) return ELSEWHERE;
  const connected = push ? streams : Math.max(streams, waiting ?? 0);
  if (connected > 0) return `${count(connected)} connected`;
  return push ? 'its push endpoint' : 'none is connected now';
};

type Row = Omit<Waiting, 'outstanding'> &
  Readonly<{
    oldestPublishedAt: string | null;
    pushState: PushStateName | null;
    deadLetters: Readonly<{ count: number }> | null;
    deadLettersKept?: boolean | null;
  }>;

const LONG_MS = 1_000 * FINDINGS['backlog-old'].bound;

/** Why somebody has to look at a subscription, in words; none: nobody has to. `now`: milliseconds since 1970-01-01 UTC. */
export const troublesOf = (row: Row, now: number): readonly string[] => {
  const { ackMode, backlog, exact, oldestPublishedAt, pushState, deadLetters, deadLettersKept } = row;
  // Of a filter it is not known whether any of these messages waits.
  const isKnown = exact || ackMode === 'message';
  const waits = backlog > 0 && isKnown && oldestPublishedAt !== null && now - Date.parse(oldestPublishedAt) > LONG_MS;
  return [
    ...(waits ? ['waits too long'] : []),
    ...(pushFails(pushState) ? ['push fails'] : []),
    ...(pushState === 'not verified' ? ['push is not verified'] : []),
    ...((deadLetters?.count ?? 0) > 0 || deadLettersKept === true ? ['has dead letters'] : []),
  ];
};

const AGES: Readonly<Record<number, string>> = {
  0: 'under 1 minute',
  60: '1 to 10 minutes',
  600: '10 minutes to 1 hour',
  3600: '1 hour to 1 day',
  86400: 'older than 1 day',
};

type AgeCount = Readonly<{ from: number; messages: number; exact: boolean }>;

/** Rows of the table of ages, with their sum as the last one. */
export const ageRows = (backlog: readonly AgeCount[]): readonly Readonly<{ age: string; messages: string }>[] => {
  const sum = backlog.reduce((all, { messages }) => all + messages, 0);
  return [
    ...backlog.map(({ from, messages, exact }) => ({ age: AGES[from] ?? `${from} s`, messages: atMost(messages, exact) })),
    {
      age: 'all',
      messages: atMost(
        sum,
        backlog.every(({ exact }) => exact),
      ),
    },
  ];
};

/** What becomes of a redrive, said in one sentence or two. */
export const redrivenText = ({ redriven, kept }: Readonly<{ redriven: number; kept: number }>): string => {
  const said = `Redriven ${counted(redriven, 'message')}`;
  if (kept === 0) return said;
  return `${said}. ${counted(kept, 'message')} ${kept === 1 ? 'stays, because its' : 'stay, because their'} topic or subscription is gone.`;
};

/** Words for the topics to which messages are sent back. `isOneTopic`: all came from the same one. */
export const sentBackTo = (
  messages: number,
  isOneTopic: boolean,
): Readonly<{ they: string; them: string; topics: string; such: string }> => {
  const [they, them] = messages === 1 ? (['it', 'it'] as const) : (['they', 'them'] as const);
  const isOne = isOneTopic || messages === 1;
  return { they, them, topics: `the topic${isOne ? '' : 's'} that ${they} came from`, such: isOne ? 'that topic' : 'such a topic' };
};

type ListOfSome = Readonly<{ items: readonly object[]; total: number; all: number }>;

/** How many of all subscriptions a list has, and how many of them are shown; `''`: all. `lists`: the ones that it has, where it has some only. */
export const shownText = ({ items, total, all }: ListOfSome, lists?: string): string => {
  const parts = [
    ...(items.length < total ? [`The first ${count(items.length)}`] : []),
    count(total),
    ...(total < all ? [counted(all, 'subscription')] : []),
  ];
  if (parts.length === 1) return '';
  return `${parts.join(' of ')}${total < all && lists ? `: ${lists}` : ''}. `;
};

/** `inHour`: messages of the last hour. */
export const perSecond = (inHour: number): string => {
  const rate = inHour / 3_600;
  if (rate === 0) return '0 /s';
  if (rate < 0.001) return '< 0.001 /s';
  return `${rate >= 10 ? rate.toFixed(0) : rate.toFixed(rate >= 0.1 ? 1 : 3)} /s`;
};

/** `rate`: messages a second; `null` if the node that answered has no history of the last minute. `how`: `attempted ` of pushes. */
export const rateText = (rate: number | null, how = ''): string =>
  rate === null ? 'not known: this node has no history' : `${counted(Math.round(60 * rate), 'message')} ${how}in the last minute`;

/** Bytes of base64, or of the text itself where it is none. */
const bytesOf = (data: string): Uint8Array => {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    return new TextEncoder().encode(data);
  }
};

type Form = 'JSON' | 'text' | 'hex';

const PRINTABLE = /^[^\p{Cc}]*$/u;

/** Data of a message in each form that it has, the best one first. */
export const dataForms = (data: string): readonly (readonly [Form, string])[] => {
  const bytes = bytesOf(data);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [['hex', hex]];
  }
  const forms: (readonly [Form, string])[] = PRINTABLE.test(text.replaceAll(/[\r\n\t]/g, ' '))
    ? [
        ['text', text],
        ['hex', hex],
      ]
    : [
        ['hex', hex],
        ['text', text],
      ];
  try {
    return [['JSON', JSON.stringify(JSON.parse(text), null, 2)], ...forms];
  } catch {
    return forms;
  }
};
