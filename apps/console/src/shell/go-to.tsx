import { useEffect, useId, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { get } from '../api/client.js';
import type { Session } from '../api/session.js';
import type { AnswerOf } from '../api/types.js';
import { Dialog } from '../parts/dialog.js';
import { ErrorNote } from '../parts/error-note.js';
import { Listbox, optionId, STEPS } from '../parts/fields/listbox.js';
import { go } from '../place.js';
import { type Destination, destinationOf, matching, textOf, viewDestination } from './destinations.js';
import type { View } from './view.js';

/** The server is asked so long after the last key. */
const PAUSE_MS = 60;

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const isForGoTo = ({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): boolean => {
  if (altKey) return false;
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' && !shiftKey;
  return key === '/' && !isField(target);
};

/** Calls back on Ctrl-K, Cmd-K, and `/` outside of fields; not above another dialog, which would be left with what was typed in it. */
export const useGoToKeys = (open: () => void): void => {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!isForGoTo(event)) return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) open();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [open]);
};

/** `of`: the text that was answered last. */
type Search = Readonly<{ of: string; found: AnswerOf<'/ops/places'>['items']; error?: unknown }>;

/** What the server finds. What was found for another text stays until then, and `isDone` is false. */
const useSearch = (typed: string) => {
  const wanted = typed.trim();
  const [{ of, found, error }, setSearch] = useState<Search>({ of: '', found: [] });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (wanted === '') {
      setSearch({ of: '', found: [] });
      return;
    }
    const ended = new AbortController();
    const { signal } = ended;
    const settle = (next: (before: Search) => Search) => !signal.aborted && setSearch(next);
    const ask = () =>
      get<AnswerOf<'/ops/places'>>('/ops/places', { text: wanted }, { signal }).then(
        ({ items }) => settle(() => ({ of: wanted, found: items })),
        (failure) => settle((before) => ({ of: wanted, found: before.found, error: failure })),
      );
    const timer = setTimeout(ask, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [wanted, turn]);
  return { found, error, isDone: of === wanted, again: () => setTurn(turn + 1) };
};

const Option = (destination: Destination) => (
  <>
    <strong>{destination.name}</strong>
    <span class="quiet">{textOf(destination).slice(destination.name.length)}</span>
  </>
);

type GoToProps = Readonly<{
  /** Those that the caller is shown. */
  views: readonly View[];
  session: Session;
  onClose: () => void;
  /** Before it goes to a place. */
  onGo: () => void;
}>;

/** Views, and records by their names (console contract 9). Enter goes to the best one, also to one that the server is about to find. */
export const GoTo = ({ views, session, onClose, onGo }: GoToProps) => {
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const id = useId();
  const { found, isDone, error, again } = useSearch(typed);
  const options = useMemo(() => {
    const places = found.map((place) => destinationOf(place, session));
    return matching(views.map(viewDestination), places, typed, isDone);
  }, [views, found, typed, isDone, session]);
  const at = Math.min(active, options.length - 1);
  const choose = ({ address }: Destination) => {
    onClose();
    onGo();
    go(address);
    scrollTo(0, 0);
  };
  useEffect(() => {
    if (!isEntered || !isDone) return;
    setEntered(false);
    if (options[at]) choose(options[at]);
  }, [isEntered, isDone]);
  const pressed = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined && options.length > 0) setActive((at + step + options.length) % options.length);
    else if (event.key === 'Enter') setEntered(true);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="go-to">
        <input
          type="text"
          role="combobox"
          aria-label="Go to"
          aria-autocomplete="list"
          aria-expanded={options.length > 0}
          aria-controls={id}
          aria-activedescendant={options[at] && optionId(id, at)}
          autoComplete="off"
          spellcheck={false}
          maxLength={200}
          placeholder="View, name, index of an event, id of a record, event or request …"
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setActive(0);
            setEntered(false);
          }}
          onKeyDown={pressed}
        />
        <Listbox
          id={id}
          label="Places"
          options={options}
          active={at}
          keyOf={({ address, kind }) => `${address} ${kind}`}
          show={Option}
          onChoose={choose}
        />
        <p class="quiet" role="status">
          {isDone &&
            error === undefined &&
            options.length === 0 &&
            'Nothing has this name, index, position or id. A refused request has left no event. An event that has left the log is found by its index.'}
        </p>
        {error !== undefined && <ErrorNote error={error} again={again} />}
      </div>
    </Dialog>
  );
};
