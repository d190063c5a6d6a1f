import type { ProfileRow } from './row.js';
import { STAGE_NOTES, STAGES } from './stage-rules.js';
import type { StageTimes } from './stages.js';

/** The first column is text, all others are figures. `note`: sentences before the table, in Markdown. */
export type Table = Readonly<{ head: readonly string[]; rows: readonly (readonly string[])[]; note?: string }>;

const KIB = 1_024;

/** Three digits, or all before the point. */
export const figure = (value: number): string => {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
};

const ratioText = ({ ratio: { median, min, max } }: ProfileRow): string => `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`;

/** Rates, times of answers, CPU and bytes given to files of each call. */
export const operations = (rows: readonly ProfileRow[]): Table => ({
  head: ['operation', 'ratio', 'calls/s', 'p50 ms', 'p99', 'CPU µs', 'files KiB'],
  rows: rows.map((row) => {
    const { perSecond, latencyMs, usage } = row.logbook;
    return [row.name, ratioText(row), ...[perSecond, latencyMs.p50, latencyMs.p99, usage.micros, usage.writtenBytes / KIB].map(figure)];
  }),
});

/** The same of the bare reference; of Logbook the slowest answers, and those that came before the write was readable. */
export const references = (rows: readonly ProfileRow[]): Table => ({
  head: ['operation', 'p99.9 ms', 'late %', 'bare: calls/s', 'bare: CPU µs', 'bare: files KiB'],
  rows: rows.map(({ name, logbook: { latencyMs, late }, bare: { perSecond, usage } }) => [
    name,
    ...[latencyMs.p999, late * 100, perSecond, usage.micros, usage.writtenBytes / KIB].map(figure),
  ]),
});

/** Names of the threads, the busiest first. */
export const threadNames = (rows: readonly ProfileRow[]): readonly string[] => {
  const totals = new Map<string, number>();
  for (const { logbook } of rows) for (const [name, micros] of logbook.usage.threads) totals.set(name, (totals.get(name) ?? 0) + micros);
  return [...totals].sort(([, left], [, right]) => right - left).map(([name]) => name);
};

/** Microseconds of each thread for a call. */
export const threads = (rows: readonly ProfileRow[]): Table => {
  const names = threadNames(rows);
  return {
    head: ['CPU µs by thread', ...names],
    rows: rows.map(({ name, logbook }) => [name, ...names.map((thread) => figure(logbook.usage.threads.get(thread) ?? 0))]),
  };
};

/** Microseconds of the main thread for a call. */
export const stages = (rows: readonly ProfileRow[]): Table => ({
  head: ['main thread µs by stage', ...STAGES],
  rows: rows.map((row) => [row.name, ...STAGES.map((stage) => figure(row.stages.get(stage) ?? 0))]),
  note: Object.entries(STAGE_NOTES)
    .map(([stage, note]) => `${stage}: ${note}.`)
    .join(' '),
});

/** The stages that took the most, with their shares of all. */
const namesOf = (times: StageTimes, count: number): string => {
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const most = [...times].sort(([, left], [, right]) => right - left).slice(0, count);
  return most.map(([stage, time]) => `${stage} ${Math.round((time / total) * 100)} %`).join(', ');
};

const CAUSES = 4;

/** Turns of the event loop of Logbook's main thread, and what ran in those over 20 ms. */
export const turns = (rows: readonly ProfileRow[]): Table => ({
  head: ['turns of the main thread', 'longest ms', 'p99.9', 'over 20 ms, in a second', 'what ran in these'],
  rows: rows.map(({ name, turns: { longestMs, p999Ms, longPerSecond, causes } }) => [
    name,
    ...[longestMs, p999Ms, longPerSecond].map(figure),
    namesOf(causes, CAUSES),
  ]),
});

/** For terminals. */
export const asText = ({ head, rows, note }: Table): string => {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ');
  return [...(note === undefined ? [] : [note]), ...[head, ...rows].map(line)].join('\n');
};

export const asMarkdown = ({ head, rows }: Table): string => {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_title, column) => (column === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
};

const SHADES = ['█', '▓', '▒', '░', '·'] as const;
const BAR = 60;

/** CPU of a call by thread, as a multiple of all that the bare reference spends on one. */
export const chart = (rows: readonly ProfileRow[]): string => {
  const names = threadNames(rows);
  const shadeOf = (index: number): string => SHADES[Math.min(index, SHADES.length - 1)] ?? '';
  const bars = rows.map(({ name, logbook, bare }) => ({
    name,
    parts: names.map((thread) => (logbook.usage.threads.get(thread) ?? 0) / bare.usage.micros),
  }));
  const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);
  const most = Math.max(...bars.map(({ parts }) => sum(parts)));
  const cells = (multiple: number): number => Math.round((multiple / most) * BAR);
  const bar = (parts: readonly number[]): string =>
    parts.map((_part, index) => shadeOf(index).repeat(cells(sum(parts.slice(0, index + 1))) - cells(sum(parts.slice(0, index))))).join('');
  const width = Math.max(...rows.map(({ name }) => name.length));
  const legend = names.map((name, index) => `${shadeOf(index)} ${name}`).join('   ');
  return [...bars.map(({ name, parts }) => `${name.padEnd(width)}  ${bar(parts)} ${sum(parts).toFixed(1)}`), '', legend].join('\n');
};
