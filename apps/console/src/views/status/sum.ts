import { duration } from '../../parts/figures.js';
import type { Explanation, Figures } from './load.js';

type Kind = 'up' | 'down' | 'scheduled downtime' | 'unknown' | 'missing' | 'excluded';

/** A part of the day, in milliseconds. `cause`: names of services that gave the group its state, or of the group. */
type Part = Readonly<{ kind: Kind; cause: string; from: number; to: number }>;

/** `share`: in per cent. */
type Term = Readonly<{ share: number; said: string }>;

const MOST_TERMS = 5;
const MOST_SERVICES = 3;
const MINUS = '\u2212';
const DASH = '\u2013';

/** At most two decimals. */
export const decimals = (value: number): string => `${Math.round(value * 100) / 100}`;

/** `89.1 %`, or `unknown`, of a figure as results write it. */
export const percentOf = (figure: string, show = decimals): string => (figure === '-1' ? 'unknown' : `${show(Number(figure))} %`);

/** `''` of a whole day; of one that has not ended ` so far (6 h)`. */
export const soFar = ({ day, until }: Pick<Explanation, 'day' | 'until'>): string => {
  const seconds = (Date.parse(until) - Date.parse(day)) / 1_000;
  return seconds < 86_400 ? ` so far (${duration(seconds)})` : '';
};

const kindIn = ({ defaults }: Explanation, status: string | undefined): Kind => {
  if (status === 'OK' || status === 'WARNING') return 'up';
  if (status === 'EXCLUDED') return 'excluded';
  if (status === defaults.unknown || status === undefined) return 'unknown';
  if (status === defaults.missing) return 'missing';
  return status === defaults.down ? 'scheduled downtime' : 'down';
};

type Steps = readonly Readonly<{ from: string; status: string }>[];

/** The status at instants that are asked for in ascending order. */
const statusesOf = (steps: Steps) => {
  let next = 0;
  return (at: number): string | undefined => {
    while (next < steps.length && Date.parse(steps[next]?.from ?? '') <= at) next++;
    return steps[next - 1]?.status;
  };
};

const namesText = (names: readonly string[]): string =>
  names.length <= MOST_SERVICES
    ? names.join(', ')
    : `${names.slice(0, MOST_SERVICES - 1).join(', ')} and ${names.length - MOST_SERVICES + 1} more`;

/** The day in parts of one kind and cause. */
const partsOf = (explanation: Explanation): readonly Part[] => {
  const { day, until, timeline, services, functions, recomputations, group } = explanation;
  const [start, end] = [Date.parse(day), Date.parse(until)];
  const excluded = recomputations
    .filter(({ excludesGroup }) => excludesGroup)
    .map(({ from, to }) => [Date.parse(from), Date.parse(to)] as const);
  const steps = [timeline, ...services.map((service) => service.timeline ?? [])].flat();
  const instants = [start, ...steps.map(({ from }) => Date.parse(from)), ...excluded.flat()].filter((at) => at >= start && at < end);
  const ofGroup = statusesOf(timeline);
  const ofServices = services.map((service) => ({ name: service.service, statusAt: statusesOf(service.timeline ?? []) }));
  const ofFunctions = functions.map((one) => ({ names: one.services, statusAt: statusesOf(one.timeline ?? []) }));
  const parts: Part[] = [];
  for (const [index, from] of [...new Set(instants)].sort((one, other) => one - other).entries()) {
    const own = kindIn(explanation, ofGroup(from));
    const kind = excluded.some(([first, last]) => first <= from && from < last) ? 'excluded' : own;
    const isOfKind = (state: string | undefined): boolean => state !== undefined && kindIn(explanation, state) === kind;
    // A service that another one of its function stands in for has no part in the state of the group.
    const inForce = new Set(ofFunctions.filter(({ statusAt }) => isOfKind(statusAt(from))).flatMap(({ names }) => names));
    const sharing = ofServices.filter(({ name, statusAt }) => isOfKind(statusAt(from)) && inForce.has(name));
    const cause = kind === 'up' ? '' : namesText(sharing.map(({ name }) => name)) || group;
    const last = parts.at(-1);
    if (last) parts[parts.length - 1] = { ...last, to: from };
    if (index === 0 || last?.kind !== kind || last.cause !== cause) parts.push({ kind, cause, from, to: end });
    else parts[parts.length - 1] = { ...last, to: end };
  }
  return parts;
};

const clock = (at: number, start: number, digits: number): string => {
  const seconds = Math.round((at - start) / 1_000);
  const text = (part: number): string => `${part}`.padStart(2, '0');
  return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(text).join(':').slice(0, digits);
};

/** `12:33–14:40`, to the minute; with seconds where these are the same. */
const times = ({ from, to }: Part, start: number): string => {
  const minute = (at: number): string => clock(start + Math.round((at - start) / 60_000) * 60_000, start, 5);
  const [first, last] = [minute(from), minute(to)];
  return first === last ? `${clock(from, start, 8)}${DASH}${clock(to, start, 8)}` : `${first}${DASH}${last}`;
};

const lengthOf = (parts: readonly Part[]): number => parts.reduce((sum, { from, to }) => sum + to - from, 0);

/** The largest terms in their order, then the rest as one. */
const folded = (terms: readonly Term[]): readonly Term[] => {
  if (terms.length <= MOST_TERMS) return terms;
  const shown = new Set([...terms].sort((one, other) => other.share - one.share).slice(0, MOST_TERMS));
  const rest = terms.filter((term) => !shown.has(term));
  return [
    ...terms.filter((term) => shown.has(term)),
    { share: rest.reduce((sum, { share }) => sum + share, 0), said: `${rest.length} more` },
  ];
};

/** Hundredths whose sum is `total`: what rounding down leaves goes to the terms that lost most. */
const hundredths = (terms: readonly Term[], total: number): readonly number[] => {
  const exact = terms.map(({ share }) => share * 100);
  const whole = exact.map((value) => Math.floor(value + 1e-9));
  const left = total - whole.reduce((sum, value) => sum + value, 0);
  const order = exact.map((value, at) => [value - (whole[at] ?? 0), at] as const).sort(([one], [other]) => other - one);
  for (const [, at] of order.slice(0, Math.max(0, left))) whole[at] = (whole[at] ?? 0) + 1;
  return whole;
};

const KINDS_OF_TERMS = { availability: ['down', 'scheduled downtime'], reliability: ['down'] } as const satisfies Record<
  keyof Figures,
  readonly Kind[]
>;

/** Time that a figure leaves out of the whole, as words behind it. */
const leftOut = (known: number, unknown: readonly Part[], isOutside: boolean, start: number): string => {
  if (unknown.length === 0 && !isOutside) return '';
  const spans = unknown.slice(0, MOST_TERMS).map((part) => `${part.cause} ${part.kind} ${times(part, start)}`);
  if (unknown.length > MOST_TERMS) spans.push(`${unknown.length - MOST_TERMS} more`);
  const outside = isOutside ? ' outside of scheduled downtime' : '';
  const whole = known > 0 ? ` of the ${duration(Math.round(known / 1_000))} known` : '';
  return `${whole}${outside}${spans.length > 0 ? ` (${spans.join(', ')})` : ''}`;
};

/**
 * A figure of a day as a sum, such as `100 − 8.82 (compute: down 12:33–14:40) = 91.18 %`, that is right as it stands: what was down takes its share of
 * the time that is known (results contract 8). Without states that add up to the figure it is the figure alone.
 */
export const sumOf = (explanation: Explanation, name: keyof Figures): string => {
  const start = Date.parse(explanation.day);
  const parts = partsOf(explanation);
  const unknown = parts.filter(({ kind }) => kind === 'unknown' || kind === 'missing' || kind === 'excluded');
  const scheduled = name === 'reliability' ? parts.filter(({ kind }) => kind === 'scheduled downtime') : [];
  const known = lengthOf(parts) - lengthOf(unknown) - lengthOf(scheduled);
  const figure = explanation.figures[name];
  const behind = leftOut(known, unknown, scheduled.length > 0, start);
  if (figure === '-1') return `unknown${behind}`;
  const kinds: readonly Kind[] = KINDS_OF_TERMS[name];
  const terms = parts
    .filter(({ kind }) => kinds.includes(kind))
    .map((part): Term => ({ share: (100 * (part.to - part.from)) / known, said: `${part.cause}: ${part.kind} ${times(part, start)}` }));
  const lost = terms.reduce((sum, { share }) => sum + share, 0);
  if (!(Math.abs(100 - lost - Number(figure)) < 0.005)) return `${percentOf(figure)}${behind}`;
  const shown = folded(terms);
  const amounts = hundredths(shown, 10_000 - Math.round(Number(figure) * 100));
  const subtracted = shown.flatMap(({ said }, at) => (amounts[at] ? [` ${MINUS} ${amounts[at] / 100} (${said})`] : []));
  return `${subtracted.length === 0 ? '' : `100${subtracted.join('')} = `}${percentOf(figure)}${behind}`;
};
