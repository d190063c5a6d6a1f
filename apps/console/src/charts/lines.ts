/** `values` stand at the times of the chart; `null`: nothing is known there. */
type Line = Readonly<{ name: string; values: readonly (number | null)[] }>;

export type SeriesProps = Readonly<{
  title: string;
  /** Of the values, as it stands at the axis: `events a second`. */
  unit: string;
  /** Seconds since 1970, UTC, ascending. */
  times: readonly number[];
  lines: readonly Line[];
  /** `bars`: sums of spans that begin at the times. Default: `line`. */
  kind?: 'line' | 'bars';
}>;
