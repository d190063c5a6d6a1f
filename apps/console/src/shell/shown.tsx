import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loadAgain, loadLater } from '../api/load-later.js';
import { ErrorNote } from '../parts/error-note.js';
import { placeOf } from '../place.js';
import type { Page } from './pages.js';
import type { Load, View, ViewProps } from './view.js';

export const NotFound = () => (
  <>
    <h1 tabIndex={-1}>Not found</h1>
    <p>
      There is no such page, or not for your role. Go to the <a href={placeOf('')}>overview</a>.
    </p>
  </>
);

type ShownProps = Omit<ViewProps, 'parameters'> & Readonly<{ view: View; page: Page }>;

/** `of`: the page that it is, or that could not be loaded. */
type Loaded = Readonly<{ of?: Load; component?: ComponentType<ViewProps>; error?: unknown }>;

/** A page under the heading of its view, loaded when it is first shown. */
export const Shown = ({ view, page: { load, parameters, key }, ...props }: ShownProps) => {
  const [{ of, component: Component, error }, setLoaded] = useState<Loaded>({});
  const begin = (loading: typeof loadLater) => {
    let isOvertaken = false;
    loading(load).then(
      ({ default: component }) => isOvertaken || setLoaded({ of: load, component }),
      (failure) => isOvertaken || setLoaded({ of: load, error: failure }),
    );
    return () => {
      isOvertaken = true;
    };
  };
  useEffect(() => begin(loadLater), [load]);
  return (
    <>
      <h1 tabIndex={-1}>{view.name}</h1>
      {of === load && error !== undefined && <ErrorNote error={error} again={() => begin(loadAgain)} />}
      {of === load && Component && <Component key={key} {...props} parameters={parameters} />}
    </>
  );
};
