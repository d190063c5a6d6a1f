import { useEffect, useState } from 'preact/hooks';

/** Path of the console: `/console`, behind a proxy `/prefix/console`. This very script was loaded from `assets` under it. */
export const consolePath = new URL('..', import.meta.url).pathname.replace(/\/$/, '');

/** Beginning of all paths of the server: empty, behind a proxy `/prefix`. */
export const serverPath = consolePath.replace(/\/console$/, '');

/** Where the page is: `path` as it stands after `/console`, `''` for the overview. */
type Place = Readonly<{ path: string; query: URLSearchParams }>;

const MOVED = 'logbook:moved';

const here = (): Place => ({
  path: location.pathname.startsWith(consolePath) ? location.pathname.slice(consolePath.length).replace(/\/+$/, '') : '',
  query: new URLSearchParams(location.search),
});

/** Member of the query with the point of the past that is shown. */
export const AS_OF = 'as-of';

type PlaceQuery = Readonly<Record<string, string | undefined>> | URLSearchParams;

/**
 * Address of a place of the console, for `href`. `path` begins with a slash; each part of it is encoded by the caller. Keeps the point of the past that is
 * shown, unless the query has another one (`undefined`: now).
 */
export const placeOf = (path: string, query: PlaceQuery = {}): string => {
  const members = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const isChosen = members.some(([name]) => name === AS_OF);
  const all = isChosen ? members : [...members, [AS_OF, here().query.get(AS_OF) ?? ''] as const];
  const given = all.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]]));
  const text = new URLSearchParams(given).toString();
  return `${consolePath}${path}${text === '' ? '' : `?${text}`}`;
};

/** Goes to a place of the console. `address`: of {@link placeOf}. `replace`: without an entry in the history. */
export const go = (address: string, replace = false): void => {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  dispatchEvent(new Event(MOVED));
};

export const usePlace = (): Place => {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const moved = () => setPlace(here());
    addEventListener('popstate', moved);
    addEventListener(MOVED, moved);
    return () => {
      removeEventListener('popstate', moved);
      removeEventListener(MOVED, moved);
    };
  }, []);
  return place;
};

/** Where a plain click on a link of the console leads; `undefined`: the browser is to follow it. */
const linkedPlace = (event: MouseEvent): string | undefined => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return undefined;
  const within = link.pathname === consolePath || link.pathname.startsWith(`${consolePath}/`);
  return within && link.hash === '' ? `${link.pathname}${link.search}` : undefined;
};

/** From now on links of the console change the view without loading the page anew. */
export const followLinks = (): void => {
  addEventListener('click', (event) => {
    const place = linkedPlace(event);
    if (place === undefined) return;
    event.preventDefault();
    go(place);
    scrollTo(0, 0);
  });
};
