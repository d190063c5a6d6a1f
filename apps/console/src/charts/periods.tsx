import { figure } from '../parts/figures.js';
import { Table } from '../parts/table.js';
import { exactTime } from '../parts/time.js';
import { AsTable } from './as-table.js';

/** A sum of a span of time, and the most that there was room for. `from`, `to`: instants. */
type Period = Readonly<{ from: string; to: string; value: number; capacity: number | null }>;

type PeriodsProps = Readonly<{
  title: string;
  /** Of values and capacities. */
  unit: string;
  periods: readonly Period[];
}>;

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [480, 200, 70, 40, 10] as const;

/** Room that the day of a period takes. */
const DAY_WIDTH = 72;

const nice = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power;
};

const isOver = ({ value, capacity }: Period): boolean => capacity !== null && value > capacity;

const shareOf = ({ value, capacity }: Period): string => (capacity ? `${figure((100 * value) / capacity)} % of capacity` : 'no capacity');

const nameOf = (period: Period, unit: string): string =>
  `${period.from.slice(0, 10)} to ${period.to.slice(0, 10)}: ${figure(period.value)} ${unit}, ${
    period.capacity === null ? 'no capacity' : `capacity ${figure(period.capacity)} ${unit}, ${shareOf(period)}`
  }`;

const Axis = ({ top, unit, y }: Readonly<{ top: number; unit: string; y: (value: number) => number }>) => (
  <g class="axis">
    {[0, 0.25, 0.5, 0.75, 1].map((part) => (
      <g key={part}>
        <path d={`M${LEFT} ${y(part * top)}H${WIDTH}`} />
        <text x={LEFT - 8} y={y(part * top) + 4} text-anchor="end">
          {figure(part * top)}
        </text>
      </g>
    ))}
    <text transform={`translate(12 ${(HEIGHT - BOTTOM) / 2}) rotate(-90)`} text-anchor="middle">
      {unit}
    </text>
  </g>
);

const PeriodsTable = ({ title, unit, periods }: PeriodsProps) => (
  <Table
    caption={title}
    columns={[
      { name: 'From', show: ({ from }: Period) => exactTime(from) },
      { name: 'To', show: ({ to }) => exactTime(to) },
      { name: `Total (${unit})`, end: true, show: ({ value }) => figure(value) },
      { name: `Capacity (${unit})`, end: true, show: ({ capacity }) => (capacity === null ? '–' : figure(capacity)) },
      { name: 'Usage', end: true, show: (period) => (period.capacity ? shareOf(period) : '–') },
    ]}
    rows={periods}
    keyOf={({ from }) => from}
  />
);

/** Sums of spans that follow each other, as wide as the spans, with the capacity of each as a line. */
export const Periods = ({ title, unit, periods }: PeriodsProps) => {
  const times = periods.flatMap(({ from, to }) => [Date.parse(from), Date.parse(to)]);
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const top = nice(Math.max(Number.MIN_VALUE, ...periods.map(({ value, capacity }) => Math.max(value, capacity ?? 0))) || 1);
  const x = (at: string): number => LEFT + ((Date.parse(at) - start) / Math.max(1, end - start)) * (WIDTH - LEFT - 4);
  const y = (value: number): number => HEIGHT - BOTTOM - (Math.max(0, value) / top) * (HEIGHT - BOTTOM - TOP);
  return (
    <AsTable title={`${title} (${unit})`} table={() => <PeriodsTable title={title} unit={unit} periods={periods} />}>
      <svg
        class="periods"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: ${periods.map((one) => nameOf(one, unit)).join('; ')}`}
      >
        <Axis top={top} unit={unit} y={y} />
        {periods.map((period) => (
          <g key={period.from}>
            <rect
              class={isOver(period) ? 'value over' : 'value'}
              x={x(period.from)}
              width={Math.max(1, x(period.to) - x(period.from))}
              y={y(period.value)}
              height={HEIGHT - BOTTOM - y(period.value)}
            >
              <title>{nameOf(period, unit)}</title>
            </rect>
            {period.capacity !== null && <path class="capacity" d={`M${x(period.from)} ${y(period.capacity)}H${x(period.to)}`} />}
            {x(period.to) - x(period.from) > DAY_WIDTH && (
              <text class="day" x={x(period.from) + 2} y={HEIGHT - BOTTOM + 16}>
                {period.from.slice(0, 10)}
              </text>
            )}
          </g>
        ))}
        <text class="day" x={LEFT + (WIDTH - LEFT) / 2} y={HEIGHT - 4} text-anchor="middle">
          Time (UTC)
        </text>
      </svg>
      <ul class="legend">
        <li>
          <svg viewBox="0 0 24 20" aria-hidden="true" class="periods">
            <rect class="value" width="24" height="20" />
          </svg>
          Total
        </li>
        {periods.some(isOver) && (
          <li>
            <svg viewBox="0 0 24 20" aria-hidden="true" class="periods">
              <rect class="value over" width="24" height="20" />
            </svg>
            Total above the capacity
          </li>
        )}
        <li>
          <svg viewBox="0 0 24 20" aria-hidden="true" class="periods">
            <path class="capacity" d="M0 10H24" />
          </svg>
          Capacity
        </li>
      </ul>
    </AsTable>
  );
};
