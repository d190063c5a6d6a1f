import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { Field } from '../parts/field.js';
import { instantOf, isInstant, isPosition } from '../parts/instant.js';
import { exactTime } from '../parts/time.js';
import { AS_OF, go } from '../place.js';

export const AsOf = createContext<string | undefined>(undefined);

/**
 * Point of the past that the view is to show, an instant or a position as in `Logbook-As-Of`; `undefined`: now. Nothing live is shown of the past.
 */
export const useAsOf = (): string | undefined => useContext(AsOf);

/** As `2026-11-20 12:00:00 UTC`, or `position 17`. */
const momentText = (asOf: string): string => (isPosition(asOf) ? `position ${asOf}` : exactTime(asOf));

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
  return Date.parse(moment) > Date.now() ? 'This time is in the future.' : undefined;
};

/** Enter shows the past; without a value: now. */
export const AsOfField = ({ asOf }: Readonly<{ asOf: string | undefined }>) => {
  const shown = typedText(asOf ?? '');
  const [typed, setTyped] = useState(shown);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    setTyped(shown);
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
        hint={problem ?? 'YYYY-MM-DD HH:MM (UTC), or a position'}
      />
    </form>
  );
};

/** The bar that says what is shown. `view`: name of a view that has no past. */
export const ThePast = ({ asOf, view }: Readonly<{ asOf: string; view: string | undefined }>) => (
  <section class="past" aria-label="The past">
    <p>
      {view === undefined ? (
        <>
          You see <strong>{momentText(asOf)}</strong>
        </>
      ) : (
        <>
          You see <strong>now</strong>: {view} has no past. Other views show {momentText(asOf)}.
        </>
      )}
    </p>
    <button type="button" onClick={() => moveTo(undefined)}>
      Back to now
    </button>
  </section>
);
