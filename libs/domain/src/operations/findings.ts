import { FINDINGS, type FindingKind, type FindingView, type Measurement } from './finding-kinds.js';

/** Something that a person has to look at. `figures`: sentence that changes all the time; `null` if there is none. `view`: where to look. */
export type Finding = Readonly<{
  kind: FindingKind;
  severity: 'critical' | 'warning';
  check: string;
  text: string;
  figures: string | null;
  todo: string;
  view: FindingView;
}>;

/** Measurements by kind; a kind that is absent is not known here. */
export type Measurements = Readonly<Partial<Record<FindingKind, readonly Measurement[]>>>;

const KINDS = Object.keys(FINDINGS) as readonly FindingKind[];

/** Checks of the doctor on a running server, in their order. */
export const CHECKS: readonly string[] = [...new Set(KINDS.map((kind) => FINDINGS[kind].check))];

export const isBeyond = (kind: FindingKind, value: number): boolean => {
  const { bound, isBelow } = FINDINGS[kind];
  return isBelow ? value < bound : value > bound;
};

const viewOf = ({ view, of = '' }: Measurement, kind: FindingKind): FindingView =>
  view ?? FINDINGS[kind].view ?? { path: `/projections/${encodeURIComponent(of)}`, text: `Open ${of}` };

const found = (kind: FindingKind, measured: Measurement): Finding => {
  const { severity, check, text, figures, todo } = FINDINGS[kind];
  return { kind, severity, check, text: text(measured), figures: figures?.(measured) ?? null, todo, view: viewOf(measured, kind) };
};

export const worstFirst = (all: readonly Finding[]): readonly Finding[] => [
  ...all.filter(({ severity }) => severity === 'critical'),
  ...all.filter(({ severity }) => severity === 'warning'),
];

/** All that is beyond its bound, the worst first. */
export const findingsIn = (measurements: Measurements): readonly Finding[] => {
  const all = KINDS.flatMap((kind) =>
    (measurements[kind] ?? []).filter(({ value }) => isBeyond(kind, value)).map((measured) => found(kind, measured)),
  );
  return worstFirst(all);
};

/** The Prometheus expression of the alert of a kind; `null` without an alert. */
export const expressionOf = (kind: FindingKind): string | null => {
  const { alert, bound, isBelow } = FINDINGS[kind];
  if (!alert) return null;
  const value = alert.over ? `${alert.over}(${alert.metric})` : alert.metric;
  const condition = `${value}${alert.isInstant ? ' - time()' : ''} ${isBelow ? '<' : '>'} ${bound}`;
  return alert.and ? `${condition} and ${alert.and}` : condition;
};
