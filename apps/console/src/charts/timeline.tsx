import { Fragment } from 'preact';
import { useId } from 'preact/hooks';
import { duration } from '../parts/figures.js';
import { Table } from '../parts/table.js';
import { exactTime } from '../parts/time.js';
import { AsTable } from './as-table.js';
import { lengthsOf, type Span } from './spans.js';

/** `level`: how far the row is indented. */
export type TimelineRow = Readonly<{ key: string; name: string; level: number; spans: readonly Span[] }>;

type TimelineProps = Readonly<{
  title: string;
  rows: readonly TimelineRow[];
  /** Milliseconds. */
  from: number;
  to: number;
}>;

const [WIDTH, HEIGHT] = [1_000, 20];

/** Height of a state's bar, and its pattern: so states differ without colour, too. */
const LOOKS: Readonly<Record<string, Readonly<{ look: string; height: number }>>> = {
  OK: { look: 'ok', height: 6 },
  WARNING: { look: 'warning', height: 12 },
  CRITICAL: { look: 'critical', height: 20 },
  UNKNOWN: { look: 'unknown', height: 14 },
  MISSING: { look: 'missing', height: 14 },
  DOWNTIME: { look: 'downtime', height: 20 },
};

const lookOf = (state: string): Readonly<{ look: string; height: number }> => LOOKS[state] ?? { look: 'other', height: 14 };

const iso = (at: number): string => new Date(at).toISOString();

const summary = (spans: readonly Span[]): string =>
  lengthsOf(spans)
    .map(([state, length]) => `${state} ${duration(length / 1_000)}`)
    .join(', ') || 'nothing known';

const Bar = ({ row, from, to, pattern }: Readonly<{ row: TimelineRow; from: number; to: number; pattern: string }>) => {
  const x = (at: number): number => ((at - from) / (to - from)) * WIDTH;
  return (
    <svg
      class="bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${row.name}: ${summary(row.spans)}`}
    >
      {row.spans.map((span) => {
        const { look, height } = lookOf(span.state);
        const place = { x: x(span.from), y: HEIGHT - height, width: Math.max(1, x(span.to) - x(span.from)), height };
        return (
          <Fragment key={span.from}>
            <rect {...place} class={`state-${look}`}>
              <title>{`${span.state}, ${exactTime(iso(span.from))} to ${exactTime(iso(span.to))}, ${duration((span.to - span.from) / 1_000)}`}</title>
            </rect>
            {(look === 'downtime' || look === 'unknown') && <rect {...place} fill={`url(#${pattern})`} pointer-events="none" />}
          </Fragment>
        );
      })}
    </svg>
  );
};

const hours = (from: number, to: number): readonly number[] => {
  const step = (to - from) / 8;
  return Array.from({ length: 9 }, (_, index) => from + index * step);
};

const TimelineTable = ({ title, rows }: Pick<TimelineProps, 'title' | 'rows'>) => (
  <Table
    caption={title}
    columns={[
      { name: 'Of', show: ({ row }: { row: TimelineRow; span: Span }) => row.name },
      { name: 'State', show: ({ span }) => span.state },
      { name: 'From', show: ({ span }) => exactTime(iso(span.from)) },
      { name: 'To', show: ({ span }) => exactTime(iso(span.to)) },
      { name: 'For', end: true, show: ({ span }) => duration((span.to - span.from) / 1_000) },
    ]}
    rows={rows.flatMap((row) => row.spans.map((span) => ({ row, span })))}
    keyOf={({ row, span }) => `${row.key} ${span.from}`}
  />
);

/** States over time, a bar for each row. */
export const Timeline = ({ title, rows, from, to }: TimelineProps) => {
  const pattern = `stripes-${useId()}`;
  const states = [...new Set(rows.flatMap(({ spans }) => spans.map(({ state }) => state)))];
  return (
    <AsTable title={`${title} (hours, UTC)`} table={() => <TimelineTable title={title} rows={rows} />}>
      <svg width="0" height="0" aria-hidden="true" class="patterns">
        <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="2.5" height="6" class="stripe" />
        </pattern>
      </svg>
      <div class="timeline">
        {rows.map((row) => (
          <Fragment key={row.key}>
            <span class={`name level-${row.level}`} title={row.name}>
              {row.name}
            </span>
            <Bar row={row} from={from} to={to} pattern={pattern} />
          </Fragment>
        ))}
        <span />
        <div class="hours" aria-hidden="true">
          {hours(from, to).map((at, index) => (
            <span key={at}>{index === 8 ? '24' : iso(at).slice(11, 13)}</span>
          ))}
        </div>
      </div>
      <ul class="legend">
        {states.map((state) => (
          <li key={state}>
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <rect
                x="0"
                y={HEIGHT - lookOf(state).height}
                width="20"
                height={lookOf(state).height}
                class={`state-${lookOf(state).look}`}
              />
              {['downtime', 'unknown'].includes(lookOf(state).look) && (
                <rect x="0" y={HEIGHT - lookOf(state).height} width="20" height={lookOf(state).height} fill={`url(#${pattern})`} />
              )}
            </svg>
            {state}
          </li>
        ))}
      </ul>
    </AsTable>
  );
};
