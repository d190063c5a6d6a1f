import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { usePutOff } from '../api/put-off.js';
import { mayAudit, type Session, signOut } from '../api/session.js';
import { Button } from '../parts/button.js';
import { ErrorNote } from '../parts/error-note.js';
import { AS_OF, go, placeOf, serverPath, usePlace } from '../place.js';
import { views } from '../views.js';
import { AsOf, AsOfField, NoPast, ThePast } from './as-of.js';
import { GoTo, useGoToKeys } from './go-to.js';
import { pageAt } from './pages.js';
import { NotFound, Shown } from './shown.js';
import type { View } from './view.js';

const isAt = ({ path: own }: View, path: string): boolean => path === own || (own !== '' && path.startsWith(`${own}/`));

/**
 * Moves the focus to the heading after signing in, from one view to another, with `Go to`, and where a link that was followed is gone.
 * @returns what `Go to` calls
 */
const useHeadingFocus = (
  main: RefObject<HTMLElement | null>,
  place: Readonly<{ path: string; view: View | undefined }>,
  atFirst: boolean,
) => {
  const isDue = useRef(atFirst);
  const before = useRef(place);
  useLayoutEffect(() => {
    const isMoved = before.current.path !== place.path;
    const isElsewhere = before.current.view !== place.view || document.activeElement === document.body;
    before.current = place;
    if (isDue.current || (isMoved && isElsewhere)) main.current?.querySelector('h1')?.focus({ preventScroll: true });
    isDue.current = false;
  });
  return () => {
    isDue.current = true;
  };
};

/** That the server cannot answer yet, and is asked again. */
const PutOff = () => {
  const said = usePutOff();
  return (
    <div aria-live="polite">
      {said !== undefined && <p class="note busy">Not ready yet: {said.replace(/\.$/, '')}. The page asks again by itself.</p>}
    </div>
  );
};

/** `hasSignedIn`: just now, with the form. */
type FrameProps = Readonly<{ session: Session; hasSignedIn: boolean; onSignedOut: () => void }>;

/** What stands around every view. */
export const Frame = ({ session, hasSignedIn, onSignedOut }: FrameProps) => {
  const { path, query } = usePlace();
  const main = useRef<HTMLElement>(null);
  const [error, setError] = useState<unknown>();
  const shown = views.filter(({ roles }) => roles.some((role) => session.roles.includes(role)));
  const viewAt = (at: string) => shown.find((one) => isAt(one, at));
  const found = viewAt(path);
  const page = found && pageAt(found, path);
  const view = page && found;
  const asOf = (mayAudit(session) && query.get(AS_OF)) || undefined;
  useLayoutEffect(() => {
    document.title = `${view?.name ?? 'Not found'} · Logbook`;
  }, [view]);
  const headingNext = useHeadingFocus(main, { path, view }, hasSignedIn);
  const [isGoing, setGoing] = useState(false);
  useGoToKeys(useCallback(() => setGoing(true), []));
  const leave = () => {
    signOut().then(() => {
      go(placeOf('', { [AS_OF]: undefined }));
      onSignedOut();
    }, setError);
  };
  const skip = (event: Event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <div class="frame">
      <a class="skip" href={`${location.pathname}${location.search}#content`} onClick={skip}>
        Skip to content
      </a>
      <header>
        <span class="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M9 7v18h14M14 10h9M14 15h9M14 20h5" />
          </svg>
          Logbook
        </span>
        <button type="button" class="go" aria-keyshortcuts="Control+K" onClick={() => setGoing(true)}>
          Go to <span aria-hidden="true">Ctrl K</span>
        </button>
        <nav aria-label="Main">
          <ul>
            {shown.map((one) => (
              <li key={one.path}>
                <a href={placeOf(one.path)} {...(one === view && { 'aria-current': 'page' })}>
                  {one.name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        {mayAudit(session) && view?.hasPast && <AsOfField asOf={asOf} />}
        <div class="who">
          <span class="quiet" title={session.name}>
            {session.name}
          </span>
          <a href={`${serverPath}/guides/`}>Guides</a>
          <Button text="Sign out" onClick={leave} />
        </div>
      </header>
      {asOf !== undefined && <ThePast key={asOf} asOf={asOf} view={view?.hasPast ? undefined : (view?.name ?? 'This page')} />}
      {asOf === undefined && query.get(AS_OF) && <NoPast />}
      <main id="content" ref={main} tabIndex={-1}>
        {error !== undefined && <ErrorNote error={error} />}
        <PutOff />
        {view && page ? (
          <AsOf.Provider value={view.hasPast && asOf}>
            <Shown key={view.path} view={view} page={page} query={query} session={session} reaches={(at) => viewAt(at) !== undefined} />
          </AsOf.Provider>
        ) : (
          <NotFound />
        )}
      </main>
      {isGoing && <GoTo views={shown} session={session} onClose={() => setGoing(false)} onGo={headingNext} />}
    </div>
  );
};
