import { eventually } from '#test/support/eventually.js';

/** A server to fill over its public APIs, with the administrators' keys of its services. */
export type Target = Readonly<{ url: string; statusKey: string; messagingKey: string; accountingToken: string }>;

export type Headers = Readonly<Record<string, string>>;

const BEHIND = 'logbook-read-model';

/** Until a server shows what it has acknowledged: its reads say so as long as it does not. */
const untilShown = (url: string): Promise<unknown> =>
  eventually(async () => (await fetch(new URL('/health/live', url))).headers.has(BEHIND)).until((isBehind) => !isBehind);

/** Once more while a busy machine cannot process a call. */
const answered = (call: () => Promise<Response>): Promise<Response> => eventually(call).until(({ status }) => status !== 503);

/** One call, which waits until the server shows what it changed. @throws Error for an answer that is not 2xx */
export const calling =
  (url: string, headers: Headers) =>
  async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await answered(() =>
      fetch(`${url}${path}`, {
        method,
        headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
    if (answer.headers.has(BEHIND)) await untilShown(url);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };

export type Caller = ReturnType<typeof calling>;

const AT_A_TIME = 8;

/** So many calls at a time; the order among them is any. */
export const together = async <Item>(items: Iterable<Item>, work: (item: Item) => unknown): Promise<void> => {
  const left = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
};

/** Numbers from 0 to 1 that depend on the place alone, so that every month is the same. */
export const chance = (...place: readonly (string | number)[]): number => {
  let mixed = 0x811c9dc5;
  for (const character of place.join(' ')) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
};

export const DAY = 86_400_000;

/** `YYYY-MM-DD`, so many days before the instant. */
export const dayBefore = (now: number, days: number): string => new Date(now - days * DAY).toISOString().slice(0, 10);

/** A call that is due so many days before the end of the month. */
export type Due = Readonly<{ days: number; work: () => Promise<unknown> }>;

/** `YYYY-MM-DDTHH:MM:SSZ` */
export const zulu = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
