import uPlot from 'uplot';
import { figure } from '../parts/figures.js';
import type { SeriesProps } from './lines.js';

const HEIGHT = 200;
/** The same as those of the legend: told apart without colour, too. */
const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 5], [1, 4]];

const colour = (element: Element, name: string): string => getComputedStyle(element).getPropertyValue(name).trim();

/** A number of the axis, short. */
const tick = (value: number): string => (Math.abs(value) >= 10_000 ? `${figure(value / 1_000)}k` : figure(value));

/** Times as the axis shows them, 24 hours a day, UTC; days where it is about days. */
const timeTicks = (_plot: uPlot, splits: number[]): string[] => {
  const isAboutDays = (splits.at(-1) ?? 0) - (splits[0] ?? 0) > 2 * 86_400;
  return splits.map((seconds) => new Date(seconds * 1_000).toISOString().slice(...(isAboutDays ? [5, 10] : [11, 16])));
};

/** Bars reach as far behind their time as the next time stands. */
const rangeOf = ({ times, kind }: SeriesProps): [number, number] => {
  const [first = 0, second = first + 1, last = first] = [times[0], times[1], times.at(-1)];
  return [first, kind === 'bars' ? last + second - first : last];
};

const axisOf = (place: Element, label: string): uPlot.Axis => ({
  label,
  labelSize: 24,
  labelFont: '12px system-ui, sans-serif',
  font: '12px system-ui, sans-serif',
  stroke: colour(place, '--chart-text'),
  grid: { stroke: colour(place, '--chart-grid'), width: 1 },
  ticks: { stroke: colour(place, '--chart-grid'), width: 1 },
});

const seriesOf = (place: Element, { lines, kind = 'line', unit }: SeriesProps): uPlot.Series[] =>
  lines.map(({ name }, at) => {
    const stroke = colour(place, `--chart-line-${at % 6}`);
    return {
      label: name,
      stroke,
      width: 2,
      dash: [...(DASHES[at % DASHES.length] ?? [])],
      points: { show: false },
      value: (_plot, value) => (value === null ? '–' : `${figure(value)} ${unit}`),
      ...(kind === 'bars' && uPlot.paths.bars
        ? { ...(at === 0 && { fill: `${stroke}66`, width: 1 }), paths: uPlot.paths.bars({ size: [1, Number.POSITIVE_INFINITY], align: 1 }) }
        : {}),
    };
  });

/** The figures that the pointer is at; of bars those of the whole bar. */
const figuresAtPointer = ({ times, lines, kind }: SeriesProps): uPlot.Plugin => {
  const box = document.createElement('div');
  box.className = 'tooltip';
  box.hidden = true;
  const textAt = (at: number): string =>
    [
      `${new Date((times[at] ?? 0) * 1_000).toISOString().slice(11, 16)} UTC`,
      ...lines.map(({ name, values }) => `${name} ${typeof values[at] === 'number' ? figure(values[at]) : 'unknown'}`),
    ].join(' · ');
  return {
    hooks: {
      init: ({ over }) => over.append(box),
      setCursor: ({ cursor: { left = -1, idx }, over, posToVal }) => {
        const at = kind === 'bars' ? times.findLastIndex((time) => time <= posToVal(left, 'x')) : (idx ?? -1);
        box.hidden = left < 0 || at < 0;
        if (box.hidden) return;
        box.textContent = textAt(at);
        box.style.left = `${Math.min(left + 8, over.clientWidth - box.offsetWidth)}px`;
      },
    },
  };
};

/** Draws into a place, as wide as it is. Returns what removes it. */
export const plot = (place: HTMLElement, props: SeriesProps): (() => void) => {
  const data: uPlot.AlignedData = [[...props.times], ...props.lines.map(({ values }) => [...values])];
  const chart = new uPlot(
    {
      width: Math.max(200, place.clientWidth),
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      scales: { x: { range: () => rangeOf(props) }, y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      axes: [
        { ...axisOf(place, 'Time (UTC)'), size: 32, values: timeTicks },
        { ...axisOf(place, props.unit), size: 60, values: (_plot: uPlot, splits: number[]) => splits.map(tick) },
      ],
      series: [{}, ...seriesOf(place, props)],
      plugins: [figuresAtPointer(props)],
    },
    data,
    place,
  );
  const resized = new ResizeObserver(() => chart.setSize({ width: Math.max(200, place.clientWidth), height: HEIGHT }));
  resized.observe(place);
  return () => {
    resized.disconnect();
    chart.destroy();
  };
};
