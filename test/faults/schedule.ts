import { type Random, randomFrom } from './random.js';

/** What can go wrong with a part of an installation, or with a wire between two of them. */
export type FaultKind =
  /** SIGKILL; started again at the end. */
  | 'kill'
  /** SIGTERM; started again at the end. */
  | 'stop'
  /** SIGSTOP, SIGCONT at the end. */
  | 'freeze'
  /** The wall clock of the part jumps by `amount` milliseconds, and back at the end. */
  | 'clock'
  /** Redis only: everything in it is deleted. */
  | 'flush'
  /** Connections are reset; until the end new ones are refused. */
  | 'cut'
  /** No byte goes either way until the end; connections stay. */
  | 'stall'
  /** What is asked arrives, what is answered does not until the end. */
  | 'mute'
  /** Every piece of a connection comes up to `amount` milliseconds late, each connection at its own pace: they overtake each other. */
  | 'delay';

/** `target`: a part, or a wire as `<from>><to>`. `at`: milliseconds since the first call; `lasts`: milliseconds. */
export type Fault = Readonly<{ at: number; lasts: number; kind: FaultKind; target: string; amount: number }>;

/** The names of what can be hurt. */
export type Cast = Readonly<{
  nodes: readonly string[];
  redis: string;
  events: string;
  clients: string;
  /** Parts whose clock can be set here. */
  clocks: readonly string[];
}>;

const HOUR_MS = 3_600_000;
const MEAN_GAP_MS = 900;
/** More at a time would be an installation that is simply off. */
const AT_A_TIME = 3;

/** What was ended needs so long to be of use again; until then it counts as hurt. */
const RECOVERY_MS = 6_000;

const hurtUntil = ({ at, lasts, kind }: Fault): number => at + lasts + (kind === 'kill' || kind === 'stop' ? RECOVERY_MS : 0);

const wiresOf = ({ nodes, redis, events, clients }: Cast): readonly string[] =>
  nodes.flatMap((node) => [`${node}>${redis}`, `${node}>${events}`, `${clients}>${node}`]);

const chooseFault = (random: Random, cast: Cast): Pick<Fault, 'kind' | 'target'> => {
  const { nodes, redis, events } = cast;
  const wires = wiresOf(cast);
  const stores = [redis, events];
  return random.weighted<() => Pick<Fault, 'kind' | 'target'>>([
    [6, () => ({ kind: 'kill', target: random.pick(nodes) })],
    [2, () => ({ kind: 'stop', target: random.pick(nodes) })],
    [5, () => ({ kind: 'freeze', target: random.pick(nodes) })],
    [4, () => ({ kind: 'clock', target: random.pick(nodes) })],
    [3, () => ({ kind: 'clock', target: random.pick(stores) })],
    [3, () => ({ kind: 'kill', target: random.pick(stores) })],
    [2, () => ({ kind: 'freeze', target: random.pick(stores) })],
    [2, () => ({ kind: 'flush', target: redis })],
    [6, () => ({ kind: 'cut', target: random.pick(wires) })],
    [4, () => ({ kind: 'stall', target: random.pick(wires) })],
    [3, () => ({ kind: 'mute', target: random.pick(wires) })],
    [6, () => ({ kind: 'delay', target: random.pick(wires) })],
  ])();
};

const amountOf = (random: Random, kind: FaultKind): number => {
  // Idempotency keys live for 48 hours and messages for days: a clock may be wrong by less.
  if (kind === 'clock') return random.pick([-1, 1]) * random.pick([1_000, 10_000, 120_000, HOUR_MS, 6 * HOUR_MS]);
  return kind === 'delay' ? random.between(5, 400) : 0;
};

/** One in eight lasts longer than the leases of nodes, so that another takes over. */
const lastsOf = (random: Random, kind: FaultKind): number => {
  if (kind === 'flush') return 0;
  if (kind === 'cut' && random.chance(0.5)) return 0;
  return random.chance(0.125) ? random.between(5_000, 9_000) : random.between(200, 3_000);
};

/**
 * Faults that fit into so many seconds, in the order of their beginnings. The same seed, duration, cast and choice give the same schedule.
 * @param only kinds to draw from; empty: all
 */
export const scheduleFor = (seed: number, seconds: number, cast: Cast, only: readonly FaultKind[] = []): readonly Fault[] => {
  const random = randomFrom(seed);
  const end = seconds * 1_000;
  const faults: Fault[] = [];
  for (let at = 0; ; ) {
    at += Math.round(-Math.log(1 - random.fraction()) * MEAN_GAP_MS) + 50;
    if (at >= end) return faults;
    const { kind, target } = chooseFault(random, cast);
    const lasts = Math.min(lastsOf(random, kind), end - at);
    const amount = amountOf(random, kind);
    const running = faults.filter((fault) => hurtUntil(fault) >= at);
    if (only.length > 0 && !only.includes(kind)) continue;
    if (kind === 'clock' && !cast.clocks.includes(target)) continue;
    if (running.length >= AT_A_TIME || running.some((fault) => fault.target === target)) continue;
    faults.push({ at, lasts, kind, target, amount });
  }
};

/** A line for each fault: what a failed run prints, and a run with the same seed does again. */
export const describeFault = ({ at, lasts, kind, target, amount }: Fault): string =>
  `${(at / 1_000).toFixed(2)} s  ${kind} ${target}${amount === 0 ? '' : ` ${amount} ms`}${lasts === 0 ? '' : `, for ${(lasts / 1_000).toFixed(1)} s`}`;
