import { figure, type Table } from '#test/bench/profile/tables.js';
import type { PeerCost, PeerRow } from './peers.js';

const KIB = 1_024;

const HEAD = ['operation', '', 'calls/s', 'p50 ms', 'p99', 'p99.9', 'CPU µs', 'program', 'database', 'files KiB'];

/** Each operation of Logbook and of its peers. */
export const peerTable = (rows: readonly PeerRow[]): Table => ({
  head: HEAD,
  rows: rows.flatMap(({ operation, costs }) =>
    costs.map(({ system, cost: { perSecond, latencyMs, usage } }, index) => {
      const database = usage.threads.get('database') ?? 0;
      const { p50, p99, p999 } = latencyMs;
      const figures = [perSecond, p50, p99, p999, usage.micros, usage.micros - database].map(figure);
      const stored = usage.threads.has('database') ? figure(database) : '';
      return [index === 0 ? operation : '', system, ...figures, stored, figure(usage.writtenBytes / KIB)];
    }),
  ),
});

const WIDTH = 760;
const [LABELS, BARS, PANEL] = [170, 150, 370];
const [BAR_HEIGHT, GAP, TOP] = [16, 14, 34];
const COLOURS = ['#2f6f9f', '#c0703a', '#7a7a7a', '#a33c4b'] as const;
/** Readable on a light page and on a dark one. */
const TITLE = 'CPU for a call and calls per second of Logbook and its peers';
const TEXT = '#888888';

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${x}" y="${y}"${more}>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;

type Panel = Readonly<{ title: string; left: number; of(cost: PeerCost['cost']): number }>;

const PANELS: readonly Panel[] = [
  { title: 'CPU µs for a call, with the database', left: LABELS, of: ({ usage }) => usage.micros },
  { title: 'calls per second', left: LABELS + PANEL - 70, of: ({ perSecond }) => perSecond },
];

/** Bars of each operation: CPU for a call (shorter is better), and calls per second (longer is better). */
export const peerChart = (rows: readonly PeerRow[]): string => {
  const systems = [...new Set(rows.flatMap(({ costs }) => costs.map(({ system }) => system)))];
  const parts = PANELS.map(({ title, left }) => text(left, 14, title, ' font-weight="bold"'));
  let y = TOP;
  for (const { operation, costs } of rows) {
    parts.push(text(0, y, operation, ' font-weight="bold"'));
    y += 8;
    const most = PANELS.map(({ of }) => Math.max(...costs.map(({ cost }) => of(cost))));
    for (const { system, cost } of costs) {
      const colour = COLOURS[systems.indexOf(system) % COLOURS.length];
      parts.push(text(12, y + 12, system));
      for (const [panel, { left, of }] of PANELS.entries()) {
        const length = Math.max(1, Math.round((of(cost) / (most[panel] ?? 1)) * BARS));
        parts.push(`<rect x="${left}" y="${y}" width="${length}" height="${BAR_HEIGHT - 3}" fill="${colour}"/>`);
        parts.push(text(left + length + 5, y + 12, figure(of(cost))));
      }
      y += BAR_HEIGHT;
    }
    y += GAP + BAR_HEIGHT;
  }
  const size = `width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12" fill="${TEXT}">\n<title>${TITLE}</title>\n${parts.join('\n')}\n</svg>\n`;
};
