import { useEffect, useRef, useState } from 'preact/hooks';
import { loadAgain, loadLater } from '../api/load-later.js';
import { ErrorNote } from '../parts/error-note.js';
import { figure } from '../parts/figures.js';
import { Table } from '../parts/table.js';
import { exactTime } from '../parts/time.js';
import { AsTable } from './as-table.js';
import type { SeriesProps } from './lines.js';

const DARK = '(prefers-color-scheme: dark)';

/** Draws itself anew when the colours of the page change. */
const useColours = (): boolean => {
  const [dark, setDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const changed = () => setDark(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return dark;
};

const isoOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

const summaryOf = ({ title, unit, times, lines }: SeriesProps): string => {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return `${title}: nothing yet`;
  const newest = lines.map(({ name, values }) => {
    const value = values.findLast((one) => one !== null);
    return `${name} ${typeof value === 'number' ? figure(value) : 'unknown'}`;
  });
  return `${title} in ${unit}, ${exactTime(isoOf(first))} to ${exactTime(isoOf(last))}, newest: ${newest.join(', ')}`;
};

const SeriesTable = ({ title, unit, times, lines }: SeriesProps) => (
  <Table
    caption={`${title}, in ${unit}`}
    columns={[
      { name: 'Time', show: (at: number) => exactTime(isoOf(times[at] ?? 0)) },
      ...lines.map(({ name, values }) => ({
        name,
        end: true,
        show: (at: number) => {
          const value = values[at];
          return typeof value === 'number' ? figure(value) : '–';
        },
      })),
    ]}
    rows={times.map((_, at) => at).reverse()}
    keyOf={(at) => `${times[at]}`}
  />
);

const Plot = (props: SeriesProps) => {
  const place = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  const dark = useColours();
  useEffect(() => {
    const { current } = place;
    if (!current) return;
    let remove: (() => void) | undefined;
    let isGone = false;
    const loading = turn === 0 ? loadLater : loadAgain;
    loading(() => import('./plot.js')).then(({ plot }) => {
      if (!isGone) remove = plot(current, props);
    }, setError);
    return () => {
      isGone = true;
      remove?.();
    };
  }, [props.times, props.lines, props.unit, props.kind, dark, turn]);
  const again = () => {
    setError(undefined);
    setTurn(turn + 1);
  };
  if (error !== undefined) return <ErrorNote error={error} again={again} />;
  return <div ref={place} class="plot" role="img" aria-label={summaryOf(props)} />;
};

/** Figures over time. What draws them is loaded when the first one is shown. */
export const Series = (props: SeriesProps) => (
  <AsTable title={`${props.title} (${props.unit})`} table={() => <SeriesTable {...props} />}>
    {props.times.length === 0 ? <p class="empty">Nothing yet.</p> : <Plot {...props} />}
    {props.lines.length > 1 && (
      <ul class="legend">
        {props.lines.map(({ name }, at) => (
          <li key={name}>
            <svg viewBox="0 0 24 8" aria-hidden="true" class={`line-${at % 6}`}>
              <path d="M0 4h24" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    )}
  </AsTable>
);
