import { useEffect, useRef } from 'preact/hooks';
import { counted } from '../../parts/figures.js';
import { ActorName } from '../../parts/name.js';
import { Time } from '../../parts/time.js';
import { go } from '../../place.js';
import type { EventRow, Rows } from './rows.js';

type ListProps = Readonly<{
  rows: Rows;
  loading: boolean;
  /** Index of the event that is open. */
  chosen: number | undefined;
  /** Address of an event. */
  addressOf: (index: number) => string;
  onMore: () => void;
  onNewest: () => void;
}>;

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Arrow keys, and j and k, go from row to row. */
const moved = (event: KeyboardEvent): void => {
  const step = STEPS[event.key];
  const { currentTarget } = event;
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || !(currentTarget instanceof HTMLElement)) return;
  const links = [...currentTarget.querySelectorAll<HTMLElement>('tbody th a')];
  const at = links.findIndex((link) => link.matches(':focus'));
  if (at < 0) return;
  event.preventDefault();
  links[at + step]?.focus();
};

/** Cut off where there is no room, and whole under the pointer. */
const Long = ({ text }: Readonly<{ text: string }>) => (
  <td class="long" title={text}>
    {text}
  </td>
);

const Row = ({ event, isChosen, address }: Readonly<{ event: EventRow; isChosen: boolean; address: string }>) => {
  const opened = ({ target }: MouseEvent) => {
    if (target instanceof Element && !target.closest('a') && getSelection()?.isCollapsed !== false) go(address);
  };
  return (
    <tr onClick={opened} class={isChosen ? 'row chosen' : 'row'}>
      <th scope="row">
        <a href={address} {...(isChosen && { 'aria-current': 'true' })}>
          {event.type ?? 'Expired'}
        </a>
      </th>
      <td>
        <Time at={event.time} />
      </td>
      <Long text={event.stream ?? ''} />
      <td class="long">{event.actor && <ActorName actor={event.actor} />}</td>
      <td class="end">{event.index}</td>
    </tr>
  );
};

/** Rows in the order of the log, the last first: the time of an event is when its command was accepted, so times may be out of order. The next page comes when its button is scrolled to. */
export const EventList = ({ rows, loading, chosen, addressOf, onMore, onNewest }: ListProps) => {
  const button = useRef<HTMLButtonElement>(null);
  const more = useRef(onMore);
  more.current = onMore;
  const { items, next, before } = rows;
  const newest = items.length;
  // Where a call found nothing more, one has to press the button.
  useEffect(() => {
    const { current } = button;
    if (!current || newest === 0) return;
    const seen = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && more.current());
    seen.observe(current);
    return () => seen.disconnect();
  }, [newest, items.at(-1)?.index]);
  return (
    <>
      {before && (
        <p>
          Newer events were let go, so that the page stays quick.{' '}
          <button type="button" class="small" onClick={onNewest}>
            Back to the newest
          </button>
        </p>
      )}
      {items.length === 0 && !loading ? (
        <p class="empty">
          {next === null ? 'No event passes these filters.' : 'None of the newest events passes these filters: “More” looks further back.'}
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <section class="scroll" aria-label="Events, scrolls" tabIndex={0}>
          <table class="events" onKeyDown={moved} aria-busy={loading}>
            <caption class="only-read">Events in the order of the log, the last first</caption>
            <thead>
              <tr>
                <th scope="col">Type</th>
                <th scope="col">Time</th>
                <th scope="col">Stream</th>
                <th scope="col">Actor</th>
                <th scope="col" class="end">
                  Index
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((event) => (
                <Row key={event.index} event={event} isChosen={event.index === chosen} address={addressOf(event.index)} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <p class="quiet" aria-live="off">
        {loading
          ? 'Loading …'
          : items.length > 0 && `${counted(items.length, 'event')} shown${next === null ? ', to the beginning of the log' : ''}`}
      </p>
      {next !== null && (
        <button type="button" ref={button} onClick={onMore} disabled={loading}>
          More
        </button>
      )}
    </>
  );
};
