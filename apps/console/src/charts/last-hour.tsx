import { figure } from '../parts/figures.js';
import { Table } from '../parts/table.js';
import { exactTime } from '../parts/time.js';
import { Bars } from './bars.js';

/** `values`: of each bin; `null`: nothing is known of it. */
type Series = Readonly<{ name: string; values: readonly (number | null)[] }>;

type LastHourProps = Readonly<{
  title: string;
  unit: string;
  /** Begin and length of the bins. */
  bins: Readonly<{ from: string; secondsEach: number }>;
  /** One or two. */
  series: readonly [Series, ...Series[]];
}>;

const textOf = (value: number | null | undefined, unknown: string): string => (typeof value === 'number' ? figure(value) : unknown);

/** Figures in whole bins of the clock. */
export const LastHour = ({ title, unit, bins: { from, secondsEach }, series }: LastHourProps) => {
  const begin = Math.round(Date.parse(from) / 1_000);
  const spans = series[0].values.map((_, bin) => {
    const at = 1_000 * (begin + bin * secondsEach);
    const [iso, values] = [new Date(at).toISOString(), series.map((one) => one.values[bin] ?? null)];
    const tip = [`${iso.slice(11, 16)} UTC`, ...series.map(({ name }, of) => `${name} ${textOf(values[of], 'unknown')}`)].join(' · ');
    return { from: at, to: at + 1_000 * secondsEach, values, tip, time: exactTime(iso) };
  });
  const newest = series.map(
    ({ name, values }) =>
      `${name} ${textOf(
        values.findLast((value) => value !== null),
        'unknown',
      )}`,
  );
  return (
    <Bars
      title={title}
      unit={unit}
      name={`${title} in ${unit}, ${spans[0]?.time} to ${spans.at(-1)?.time}, newest: ${newest.join(', ')}`}
      spans={spans}
      marks={series.map(({ name }, at) => ({ name, look: at === 0 ? 'bar' : 'outline' }))}
      table={() => (
        <Table
          caption={`${title}, in ${unit}`}
          columns={[
            { name: 'Time', show: ({ time }) => time },
            ...series.map(({ name }, at) => ({
              name,
              end: true,
              show: ({ values }: (typeof spans)[number]) => textOf(values[at], '–'),
            })),
          ]}
          rows={spans.toReversed()}
          keyOf={({ time }) => time}
        />
      )}
    />
  );
};
