import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { mayAudit, type Session, signOut } from '../api/session.js';
import { ErrorNote } from '../parts/error-note.js';
import { AS_OF, go, placeOf, usePlace } from '../place.js';
import { views } from '../views.js';
import { AsOf, AsOfField, ThePast } from './as-of.js';
import type { View, ViewProps } from './view.js';

const isAt = ({ path: own }: View, path: string): boolean => path === own || (own !== '' && path.startsWith(`${own}/`));

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

type FrameProps = Readonly<{ session: Session; onSignedOut: () => void }>;

/** What stands around every view. */
export const Frame = ({ session, onSignedOut }: FrameProps) => {
  const { path, query } = usePlace();
  const main = useRef<HTMLElement>(null);
  const [error, setError] = useState<unknown>();
  const shown = views.filter(({ roles }) => roles.some((role) => session.roles.includes(role)));
  const viewAt = (at: string) => shown.find((one) => isAt(one, at));
  const view = viewAt(path);
  const asOf = (mayAudit(session) && query.get(AS_OF)) || undefined;
  useLayoutEffect(() => {
    document.title = `${view?.name ?? 'Not found'} · Logbook`;
  }, [view]);
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
        <span class="brand">Logbook</span>
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
          <span class="quiet">{session.name}</span>
          <button type="button" onClick={leave}>
            Sign out
          </button>
        </div>
      </header>
      {asOf !== undefined && <ThePast asOf={asOf} view={view?.hasPast ? undefined : (view?.name ?? 'This page')} />}
      <main id="content" ref={main} tabIndex={-1}>
        {error !== undefined && <ErrorNote error={error} />}
        {view ? (
          <AsOf.Provider value={view.hasPast && asOf}>
            <Shown
              key={view.path}
              view={view}
              segments={partsBehind(view, path)}
              query={query}
              session={session}
              reaches={(at) => viewAt(at) !== undefined}
            />
          </AsOf.Provider>
        ) : (
          <NotFound />
        )}
      </main>
    </div>
  );
};

const partsBehind = ({ path: own }: View, path: string): readonly string[] =>
  path
    .slice(own.length + 1)
    .split('/')
    .filter(Boolean)
    .map(decoded);

const NotFound = () => (
  <>
    <h1>Not found</h1>
    <p>
      There is no such page, or not for your role. Go to the <a href={placeOf('')}>overview</a>.
    </p>
  </>
);

/** A view under its heading, loaded when it is first shown. */
const Shown = ({ view, ...props }: ViewProps & Readonly<{ view: View }>) => {
  const [loaded, setLoaded] = useState<Readonly<{ component?: ComponentType<ViewProps>; error?: unknown }>>({});
  const load = () => {
    setLoaded({});
    view.load().then(
      ({ default: component }) => setLoaded({ component }),
      (error) => setLoaded({ error }),
    );
  };
  useEffect(load, [view]);
  const { component: Component, error } = loaded;
  return (
    <>
      <h1>{view.name}</h1>
      {error !== undefined && <ErrorNote error={error} again={load} />}
      {Component && <Component {...props} />}
    </>
  );
};
