import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { figure } from '../parts/figures.js';
import { AsTable } from './as-table.js';
import { Tooltip } from './tooltip.js';

/** `from`, `to`: milliseconds. `values`: of each mark; `null`: nothing is known. `tip`: the same in words. */
type Span = Readonly<{ from: number; to: number; values: readonly (number | null)[]; tip: string }>;

/** `level`: the most that there is room for; a bar above it is shown as such. */
type Mark = Readonly<{ name: string; look: 'bar' | 'outline' | 'level' }>;

type BarsProps = Readonly<{
  title: string;
  /** Of the values, as it stands at the axis: `events a second`. */
  unit: string;
  /** Accessible name of the picture. */
  name: string;
  /** Ascending. */
  spans: readonly Span[];
  marks: readonly Mark[];
  table: () => ComponentChildren;
}>;

/** Of the picture, which is stretched to the room that there is. */
const [WIDTH, HEIGHT] = [1_000, 100];
const TICKS = 4;
const DAY_MS = 86_400_000;

/** Round values of the axis, up to one that nothing is above. */
const ticksTo = (most: number): readonly number[] => {
  const power = 10 ** Math.floor(Math.log10(most / TICKS));
  const step = power * ([1, 2, 2.5, 5].find((size) => TICKS * size * power >= most) ?? 10);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step);
};

/** Beginnings of spans that have room for their text: a day, or of minutes every tenth. */
const timesOf = (spans: readonly Span[], start: number, end: number): readonly (readonly [at: number, text: string])[] => {
  const isOfDays = end - start > 2 * DAY_MS;
  const room = (end - start) / (isOfDays ? 4 : 8);
  const shown: [number, string][] = [];
  for (const { from } of spans) {
    const isRound = isOfDays || from % 600_000 === 0;
    if (isRound && from <= end - room && from >= (shown.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY) + room)
      shown.push([from, new Date(from).toISOString().slice(...(isOfDays ? [0, 10] : [11, 16]))]);
  }
  return shown;
};

type Shape = Readonly<{ look: string; x: number; y: number; width: number; height: number }>;

const Drawn = ({ look, ...place }: Shape) =>
  look === 'level' ? <path class={look} d={`M${place.x} ${place.y}h${place.width}`} /> : <rect class={look} {...place} />;

/** Whether the bar of a span is above its level. */
const isOver = ({ values }: Span, marks: readonly Mark[]): boolean => {
  const level = values[marks.findIndex(({ look }) => look === 'level')] ?? Number.POSITIVE_INFINITY;
  return marks.some(({ look }, at) => look === 'bar' && (values[at] ?? 0) > level);
};

const Picture = ({ name, unit, spans, marks }: BarsProps) => {
  const picture = useRef<HTMLDivElement>(null);
  const [start, end] = [spans[0]?.from ?? 0, spans.at(-1)?.to ?? 1];
  const ticks = ticksTo(Math.max(...spans.flatMap(({ values }) => values.map((value) => value ?? 0))) || 1);
  const x = (at: number): number => ((at - start) / (end - start)) * WIDTH;
  const y = (value: number): number => HEIGHT - (value / (ticks.at(-1) ?? 1)) * HEIGHT;
  return (
    <>
      <div ref={picture} class="bars" role="img" aria-label={name}>
        <span class="unit">{unit}</span>
        <div class="values">
          {ticks.toReversed().map((tick) => (
            <span key={tick}>{figure(tick)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d={ticks.map((tick) => `M0 ${y(tick)}H${WIDTH}`).join('')} />
          {spans.map((span) => {
            const place = { x: x(span.from), width: x(span.to) - x(span.from) };
            return (
              <g key={span.from} data-tip={span.tip}>
                <rect class="room" {...place} y={0} height={HEIGHT} />
                {marks.map(({ look }, at) => {
                  const value = span.values[at] ?? null;
                  const shown = look === 'bar' && isOver(span, marks) ? 'bar over' : look;
                  return value === null ? null : <Drawn key={look} look={shown} {...place} y={y(value)} height={HEIGHT - y(value)} />;
                })}
              </g>
            );
          })}
        </svg>
        <div class="times">
          {timesOf(spans, start, end).map(([at, text]) => (
            <span key={at} style={{ left: `${(100 * x(at)) / WIDTH}%` }}>
              {text}
            </span>
          ))}
        </div>
        <span class="time">Time (UTC)</span>
      </div>
      <Tooltip of={picture} />
    </>
  );
};

const Legend = ({ spans, marks }: Pick<BarsProps, 'spans' | 'marks'>) => {
  const [first, ...others] = marks;
  const level = marks.find(({ look }) => look === 'level');
  const over = spans.some((span) => isOver(span, marks))
    ? [{ name: `${first?.name} above the ${level?.name.toLowerCase()}`, look: 'bar over' }]
    : [];
  return (
    <ul class="legend">
      {[...(first ? [first] : []), ...over, ...others].map(({ name, look }) => (
        <li key={name}>
          <svg viewBox="0 0 24 20" aria-hidden="true" class="bars">
            <Drawn look={look} x={1} y={look === 'level' ? 10 : 1} width={22} height={18} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
};

/** Figures of spans that follow each other, as wide as the spans, or the same as a table. */
export const Bars = (props: BarsProps) => (
  <AsTable title={`${props.title} (${props.unit})`} table={props.table}>
    {props.spans.length === 0 ? <p class="empty">Nothing yet.</p> : <Picture {...props} />}
    {props.marks.length > 1 && <Legend {...props} />}
  </AsTable>
);
