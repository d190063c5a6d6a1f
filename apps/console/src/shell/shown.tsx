import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loadAgain, loadLater } from '../api/load-later.js';
import { ErrorNote } from '../parts/error-note.js';
import { placeOf } from '../place.js';
import type { View, ViewProps } from './view.js';

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const partsBehind = ({ path: own }: View, path: string): readonly string[] =>
  path
    .slice(own.length + 1)
    .split('/')
    .filter(Boolean)
    .map(decoded);

export const NotFound = () => (
  <>
    <h1 tabIndex={-1}>Not found</h1>
    <p>
      There is no such page, or not for your role. Go to the <a href={placeOf('')}>overview</a>.
    </p>
  </>
);

type ShownProps = Omit<ViewProps, 'segments'> & Readonly<{ view: View; path: string }>;

/** A view under its heading, loaded when it is first shown. */
export const Shown = ({ view, path, ...props }: ShownProps) => {
  const [{ component: Component, error }, setLoaded] = useState<Readonly<{ component?: ComponentType<ViewProps>; error?: unknown }>>({});
  const load = (loading: typeof loadLater) => {
    loading(view.load).then(
      ({ default: component }) => setLoaded({ component }),
      (failure) => setLoaded({ error: failure }),
    );
  };
  useEffect(() => load(loadLater), [view]);
  return (
    <>
      <h1 tabIndex={-1}>{view.name}</h1>
      {error !== undefined && <ErrorNote error={error} again={() => load(loadAgain)} />}
      {Component && <Component {...props} segments={partsBehind(view, path)} />}
    </>
  );
};
