import { figure } from '../parts/figures.js';

const [WIDTH, HEIGHT] = [120, 28];

type SparklineProps = Readonly<{
  /** What is counted: `Messages published an hour`. */
  title: string;
  /** Oldest first. */
  values: readonly number[];
}>;

/** Figures of 24 hours as a line with what it is of in place of axes; its name says the least, the most and the newest, too. */
export const Sparkline = ({ title, values }: SparklineProps) => {
  if (values.length < 2) return null;
  const [least, most, newest] = [Math.min(...values), Math.max(...values), values.at(-1) ?? 0];
  const x = (place: number): number => (place * WIDTH) / (values.length - 1);
  const y = (value: number): number => HEIGHT - 2 - (most > 0 ? (value / most) * (HEIGHT - 4) : 0);
  const line = values.map((value, place) => `${place === 0 ? 'M' : 'L'}${x(place).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  const name = `${title} over 24 hours: least ${figure(least)}, most ${figure(most)}, newest ${figure(newest)}`;
  return (
    <figure class="sparkline">
      <svg role="img" aria-label={name} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <title>{name}</title>
        <path class="area" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
        <path class="line" d={line} />
      </svg>
      <figcaption aria-hidden="true">24 hours, most {figure(most)} an hour</figcaption>
    </figure>
  );
};
