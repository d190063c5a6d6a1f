import { createContext } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import { get } from '../api/client.js';
import { serverNow } from '../api/server-time.js';
import type { AnswerOf } from '../api/types.js';
import { type Loaded, useData } from '../api/use-data.js';
import { Button } from '../parts/button.js';
import { Field } from '../parts/fields/field.js';
import { instantOf, isInstant, isPosition, upTo } from '../parts/instant.js';
import { exactTime } from '../parts/time.js';
import { AS_OF, go } from '../place.js';

export const AsOf = createContext<string | undefined>(undefined);

/**
 * Point of the past that the view is to show, an instant or a position as in `Logbook-As-Of`; `undefined`: now. Nothing live is shown of the past.
 */
export const useAsOf = (): string | undefined => useContext(AsOf);

/** Time of the last event up to a position; `undefined`: there is none. @throws ApiError */
const timeOfPosition = async (position: string, signal: AbortSignal): Promise<string | undefined> => {
  const { items } = await get<AnswerOf<'/audit/events'>>('/audit/events', { ...upTo(position), order: 'desc', limit: 1 }, { signal });
  const [event] = items;
  return event && 'time' in event ? event.time : undefined;
};

/** Milliseconds since 1970-01-01 UTC of an instant; without one: now. */
const timeOf = (instant: string | undefined): number => (instant !== undefined && isInstant(instant) ? Date.parse(instant) : serverNow());

/** Milliseconds since 1970-01-01 UTC of the point that is shown: that of a position once it is known. */
export const useTimeShown = (): Loaded<number> => {
  const asOf = useAsOf();
  const position = asOf !== undefined && isPosition(asOf) ? asOf : undefined;
  const { data: found, ...rest } = useData(
    async (signal) => ({ position, time: position === undefined ? undefined : await timeOfPosition(position, signal) }),
    [position],
  );
  if (position === undefined) return { ...rest, data: timeOf(asOf), error: undefined };
  return { ...rest, data: found?.position === position ? timeOf(found.time) : undefined };
};

/** As `2026-11-20 12:00:00 UTC`, of a position with it behind: `(position 17)`. Until its time is known, and where it has none, the position alone. */
const useMomentText = (asOf: string): string => {
  const { data: time } = useData(async (signal) => (isPosition(asOf) ? timeOfPosition(asOf, signal) : asOf), [asOf]);
  if (!isPosition(asOf)) return exactTime(asOf);
  return time === undefined ? `position ${asOf}` : `${exactTime(time)} (position ${asOf})`;
};

const isBefore = (asOf: string, { time, position }: Readonly<{ time: string; position: string }>): boolean =>
  isPosition(asOf) ? BigInt(asOf) < BigInt(position) : Date.parse(asOf) < Date.parse(time);

/** Time of the first event of the log if it came after a point of the past; else `undefined`. */
const useLaterBegin = (asOf: string): string | undefined => {
  const { data } = useData(
    async (signal) => {
      const { items } = await get<AnswerOf<'/audit/events'>>('/audit/events', { limit: 1 }, { signal });
      const [event] = items;
      return event && 'time' in event && isBefore(asOf, event) ? event.time : undefined;
    },
    [asOf],
  );
  return data;
};

/** An instant as one types it. */
const typedText = (asOf: string): string =>
  isInstant(asOf)
    ? asOf
        .replace('T', ' ')
        .replace(/Z$/, '')
        .replace(/ 00:00:00$/, '')
        .replace(/(\d\d:\d\d):00$/, '$1')
    : asOf;

/** The place that is shown, as of another moment; without one: now. */
const moveTo = (moment: string | undefined): void => {
  const query = new URLSearchParams(location.search);
  query.delete(AS_OF);
  if (moment !== undefined) query.set(AS_OF, moment);
  go(`${location.pathname}${query.size === 0 ? '' : `?${query}`}`);
};

const problemOf = (moment: string): string | undefined => {
  if (isPosition(moment)) return undefined;
  if (!isInstant(moment)) return 'Write a day, a time or a position: 2026-11-20, 2026-11-20 12:00 or 812.';
  return Date.parse(moment) > serverNow() ? 'This time is in the future.' : undefined;
};

/** Enter shows the past; without a value: now. */
export const AsOfField = ({ asOf }: Readonly<{ asOf: string | undefined }>) => {
  const shown = typedText(asOf ?? '');
  const [typed, setTyped] = useState(shown);
  const [problem, setProblem] = useState<string>();
  useLayoutEffect(() => {
    setTyped(shown); // later it would undo a key pressed since
    setProblem(undefined);
  }, [shown]);
  const submit = (event: Event) => {
    event.preventDefault();
    const moment = instantOf(typed.trim());
    const found = moment === '' ? undefined : problemOf(moment);
    setProblem(found);
    if (found === undefined) moveTo(moment || undefined);
  };
  return (
    <form class="as-of" onSubmit={submit}>
      <Field
        label="As of"
        value={typed}
        onValue={setTyped}
        autoComplete="off"
        placeholder="now"
        hint="YYYY-MM-DD HH:MM (UTC), or a position"
        error={problem}
      />
    </form>
  );
};

/** The bar that says what is shown. `view`: name of a view that has no past. */
export const ThePast = ({ asOf, view }: Readonly<{ asOf: string; view: string | undefined }>) => {
  const moment = useMomentText(asOf);
  const begin = useLaterBegin(asOf);
  return (
    <section class="past" aria-label="The past">
      <p>
        {view === undefined ? (
          <>
            You see <strong>{moment}</strong>
          </>
        ) : (
          <>
            You see <strong>now</strong>: the view {view} has no past. Other views show {moment}.
          </>
        )}
      </p>
      {begin !== undefined && <p>The log begins at {exactTime(begin)}: nothing was recorded before.</p>}
      <BackToNow />
    </section>
  );
};

/** The bar of those who have come to an address of the past that their role is not shown. */
export const NoPast = () => (
  <section class="past" aria-label="Now">
    <p>
      You see <strong>now</strong>: the past is for auditors.
    </p>
    <BackToNow />
  </section>
);

const BackToNow = () => <Button text="Back to now" onClick={() => moveTo(undefined)} />;
