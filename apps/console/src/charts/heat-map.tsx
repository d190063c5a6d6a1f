import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { exactTime } from '../parts/time.js';
import { AsTable } from './as-table.js';
import { Tooltip } from './tooltip.js';

/**
 * `level`: 0 (worst) to 4 (best), which shades it; `null`: there is no figure. `mark`: two digits at most that stand in the cell, so that it does not say by
 * colour alone what it is. `figure`: with its unit. `text`: the same with its name.
 */
type HeatCell = Readonly<{ level: number | null; mark: string; figure: string; text: string }>;

type HeatMapProps = Readonly<{
  title: string;
  rows: readonly string[];
  /** `YYYY-MM-DD`, ascending. */
  days: readonly string[];
  /** Days whose data arrived late, each with the arrival of the last point; their columns are marked. */
  late: ReadonlyMap<string, string>;
  /** `YYYY-MM`, ascending; their figures stand behind the days. */
  months: readonly string[];
  /** `column`: a day or month. */
  cellOf: (row: string, column: string) => HeatCell;
  /** What the levels mean, from the best to the worst. */
  scale: readonly (readonly [level: number | null, meaning: string])[];
  onChoose: (row: string, day: string) => void;
  /** Row and day that are open. */
  chosen?: readonly [row: string, day: string] | undefined;
}>;

const STEPS: Readonly<Record<string, readonly [row: number, day: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const shadeOf = ({ level }: Pick<HeatCell, 'level'>): string => `heat heat-${level ?? 'none'}`;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const NARROW = '(max-width: 599.98px)';

/** Whether the page has room for a few columns only. */
const useNarrow = (): boolean => {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const changed = () => setNarrow(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return narrow;
};

const clamp = (value: number, last: number): number => Math.max(0, Math.min(last, value));

/** Days, with the names of their months where one begins, then months. */
const Head = ({ days, late, months }: Pick<HeatMapProps, 'days' | 'late' | 'months'>) => (
  <thead>
    <tr>
      <th scope="col">Group</th>
      {days.map((day, at) => (
        <th
          key={day}
          scope="col"
          aria-label={late.has(day) ? `${day}, late data` : day}
          title={late.has(day) ? `The last point of ${day} arrived at ${exactTime(late.get(day) ?? '')}` : undefined}
          class={late.has(day) ? 'late' : undefined}
          data-month={days[at - 1]?.slice(0, 7) === day.slice(0, 7) ? '' : MONTHS[Number(day.slice(5, 7)) - 1]}
        >
          <span class="only-read">{day.slice(0, 8)}</span>
          {day.slice(8)}
        </th>
      ))}
      {months.map((month) => (
        <th key={month} scope="col">
          {month}
        </th>
      ))}
    </tr>
  </thead>
);

const Legend = ({ scale, months, late }: Pick<HeatMapProps, 'scale' | 'months' | 'late'>) => (
  <ul class="legend">
    {scale.map(([level, meaning]) => (
      <li key={meaning}>
        <span class={shadeOf({ level })} />
        {meaning}
      </li>
    ))}
    {late.size > 0 && (
      <li>
        <span class="late-mark" />
        late data
      </li>
    )}
    {months.length > 0 && <li>Monthly figures cover only the days shown.</li>}
  </ul>
);

/** Figures of rows over days, as shades, and over months. One day is reached by Tab, the others by arrow keys. A narrow page begins with the newest day. */
export const HeatMap = ({ title, rows, days: ascending, late, months, cellOf, scale, onChoose, chosen }: HeatMapProps) => {
  const isNarrow = useNarrow();
  const inOrder = (columns: readonly string[]) => (isNarrow ? columns.toReversed() : columns);
  const [days, shownMonths] = [inOrder(ascending), inOrder(months)];
  const [at, setAt] = useState<readonly [row: number, day: string | undefined]>([0, undefined]);
  const table = useRef<HTMLTableElement>(null);
  const tapped = useRef('');
  const dayAt = days.indexOf(at[1] ?? '');
  const current = [clamp(at[0], rows.length - 1), dayAt < 0 ? days.indexOf(ascending.at(-1) ?? '') : dayAt] as const;
  const moved = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const next = [clamp(current[0] + step[0], rows.length - 1), clamp(current[1] + step[1], days.length - 1)] as const;
    setAt([next[0], days[next[1]]]);
    table.current?.querySelector<HTMLElement>(`[data-cell="${next.join(' ')}"]`)?.focus();
  };
  /** Where there is no pointer that hovers, the first tap shows the figure. */
  const pressed = (row: string, day: string, { detail }: MouseEvent) => {
    const name = `${row} ${day}`;
    const isFirstTap = isNarrow && detail > 0 && tapped.current !== name;
    tapped.current = name;
    if (!isFirstTap) onChoose(row, day);
  };
  const cells = (
    dayCell: (row: string, day: string, place: readonly [number, number]) => ComponentChildren,
    monthCell: (row: string, month: string) => ComponentChildren,
  ) => (
    <div class="scroll">
      <table class="heat-map" ref={table} onKeyDown={moved}>
        <caption class="only-read">{title}</caption>
        <Head days={days} late={late} months={shownMonths} />
        <tbody>
          {rows.map((row, rowAt) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {days.map((day, dayAt) => (
                <td key={day}>{dayCell(row, day, [rowAt, dayAt])}</td>
              ))}
              {shownMonths.map((month) => (
                <td key={month}>{monthCell(row, month)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  const isAt = ([row, day]: readonly [number, number]): boolean => row === current[0] && day === current[1];
  const tip = (row: string, column: string): string => `${row} · ${column} · ${cellOf(row, column).figure}`;
  const asText = (row: string, column: string) => cellOf(row, column).figure;
  return (
    <AsTable title={title} table={() => cells(asText, asText)}>
      {cells(
        (row, day, place) => {
          const cell = cellOf(row, day);
          return (
            <button
              type="button"
              class={shadeOf(cell)}
              aria-label={`${row}, ${day}: ${cell.text}`}
              data-tip={tip(row, day)}
              aria-pressed={chosen?.[0] === row && chosen[1] === day}
              tabIndex={isAt(place) ? 0 : -1}
              data-cell={place.join(' ')}
              onClick={(event) => {
                setAt([place[0], day]);
                pressed(row, day, event);
              }}
            >
              {cell.mark}
            </button>
          );
        },
        (row, month) => (
          <span class="of-month" data-tip={tip(row, month)}>
            <span class={shadeOf(cellOf(row, month))} aria-hidden="true" />
            {asText(row, month)}
          </span>
        ),
      )}
      <Tooltip of={table} />
      <Legend scale={scale} months={months} late={late} />
    </AsTable>
  );
};
