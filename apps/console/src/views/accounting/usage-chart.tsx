import { Bars } from '../../charts/bars.js';
import { figure } from '../../parts/figures.js';
import { Table } from '../../parts/table.js';
import { exactTime } from '../../parts/time.js';
import { boundText, type ReportRow } from './report.js';

type Period = Pick<ReportRow, 'from' | 'to' | 'total' | 'capacity'>;

const shareOf = ({ total, capacity }: Period): string => (capacity ? `${figure((100 * total) / capacity)} % of capacity` : 'no capacity');

const tipOf = (period: Period, unit: string): string =>
  `${boundText(period.from)} to ${boundText(period.to, true)}: ${figure(period.total)} ${unit}, ${
    period.capacity === null ? 'no capacity' : `capacity ${figure(period.capacity)} ${unit}, ${shareOf(period)}`
  }`;

/** Usage by capacity period, with the capacity of each. */
export const UsageChart = ({ title, unit, periods }: Readonly<{ title: string; unit: string; periods: readonly Period[] }>) => {
  const spans = periods.map((period) => ({
    from: Date.parse(period.from),
    to: Date.parse(period.to),
    values: [period.total, period.capacity],
    tip: tipOf(period, unit),
  }));
  return (
    <Bars
      title={title}
      unit={unit}
      name={`${title}: ${spans.map(({ tip }) => tip).join('; ')}`}
      spans={spans}
      marks={[
        { name: 'Total', look: 'bar' },
        { name: 'Capacity', look: 'level' },
      ]}
      table={() => (
        <Table
          caption={title}
          columns={[
            { name: 'From', show: ({ from }: Period) => exactTime(from) },
            { name: 'To', show: ({ to }) => exactTime(to) },
            { name: `Total (${unit})`, end: true, show: ({ total }) => figure(total) },
            { name: `Capacity (${unit})`, end: true, show: ({ capacity }) => (capacity === null ? '–' : figure(capacity)) },
            { name: 'Usage', end: true, show: (period) => (period.capacity ? shareOf(period) : '–') },
          ]}
          rows={periods}
          keyOf={({ from }) => from}
        />
      )}
    />
  );
};
