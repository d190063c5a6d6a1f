import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { AsTable } from './as-table.js';

/** `level`: 0 (worst) to 4 (best), which shades it; `null`: there is no figure. `text`: the figure with its unit. */
type HeatCell = Readonly<{ level: number | null; text: string }>;

type HeatMapProps = Readonly<{
  title: string;
  rows: readonly string[];
  /** `YYYY-MM-DD`, ascending. */
  days: readonly string[];
  cellOf: (row: string, day: string) => HeatCell;
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

const clamp = (value: number, last: number): number => Math.max(0, Math.min(last, value));

/** Figures of rows over days, as shades. One cell is reached by Tab, the others by arrow keys. */
export const HeatMap = ({ title, rows, days, cellOf, scale, onChoose, chosen }: HeatMapProps) => {
  const [at, setAt] = useState<readonly [row: number, day: number]>([0, Math.max(0, days.length - 1)]);
  const table = useRef<HTMLTableElement>(null);
  const current = [clamp(at[0], rows.length - 1), clamp(at[1], days.length - 1)] as const;
  const moved = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const next = [clamp(current[0] + step[0], rows.length - 1), clamp(current[1] + step[1], days.length - 1)] as const;
    setAt(next);
    table.current?.querySelector<HTMLElement>(`[data-cell="${next.join(' ')}"]`)?.focus();
  };
  const cells = (shown: (row: string, day: string, place: readonly [number, number]) => ComponentChildren) => (
    <div class="scroll">
      <table class="heat-map" ref={table} onKeyDown={moved}>
        <caption class="only-read">{title}</caption>
        <thead>
          <tr>
            <th scope="col">Group</th>
            {days.map((day, at) => (
              <th key={day} scope="col" title={day}>
                <span class="only-read">{day.slice(0, 8)}</span>
                <span class="month">{at === 0 || day.endsWith('-01') ? MONTHS[Number(day.slice(5, 7)) - 1] : ''}</span>
                {day.slice(8)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, rowAt) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {days.map((day, dayAt) => (
                <td key={day}>{shown(row, day, [rowAt, dayAt])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  const isAt = ([row, day]: readonly [number, number]): boolean => row === current[0] && day === current[1];
  return (
    <AsTable title={title} table={() => cells((row, day) => cellOf(row, day).text)}>
      {cells((row, day, place) => {
        const cell = cellOf(row, day);
        const name = `${row}, ${day}: ${cell.text}`;
        return (
          <button
            type="button"
            class={shadeOf(cell)}
            aria-label={name}
            title={name}
            aria-pressed={chosen?.[0] === row && chosen[1] === day}
            tabIndex={isAt(place) ? 0 : -1}
            data-cell={place.join(' ')}
            onClick={() => {
              setAt(place);
              onChoose(row, day);
            }}
          />
        );
      })}
      <ul class="legend">
        {scale.map(([level, meaning]) => (
          <li key={meaning}>
            <span class={shadeOf({ level })} />
            {meaning}
          </li>
        ))}
      </ul>
    </AsTable>
  );
};
