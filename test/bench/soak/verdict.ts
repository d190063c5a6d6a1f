import { median } from '#test/bench/measure.js';
import { figure, type Table } from '#test/bench/profile/tables.js';
import type { StoreSize } from '#test/bench/store-sizes.js';

/** One interval of a soak. `stores`: at its end. `during`: what else went on. */
export type SoakSample = Readonly<{
  minute: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  late: number;
  rssAnonBytes: number;
  longestTurnMs: number;
  stores: ReadonlyMap<string, StoreSize>;
  during: string;
}>;

/** A condition, what was seen, and whether it holds. */
export type Finding = Readonly<{ what: string; seen: string; holds: boolean }>;

const MIB = 1_048_576;
const [MEMORY_GROWTH, LATENCY_GROWTH, FILE_FACTOR] = [1.1, 3, 2];
/** A small store may have so much more, because the newest part of each past is not merged. */
const SLACK_BYTES = 64 * MIB;
/** Intervals at the beginning and at the end whose times are compared. */
const EDGE = 3;

const third = (samples: readonly SoakSample[], index: number): readonly SoakSample[] => {
  const length = Math.floor(samples.length / 3);
  return samples.slice(samples.length - length * (3 - index), samples.length - length * (2 - index));
};

const middle = (samples: readonly SoakSample[], of: (sample: SoakSample) => number): number => median(samples.map(of));

const ratio = (value: number): string => `${value.toFixed(2)} ×`;

const mib = (bytes: number): string => figure(bytes / MIB);

/** What a soak has to show. @param failures answers that were not as they must be @throws for fewer than three samples */
export const findings = (samples: readonly SoakSample[], failures: readonly string[]): readonly Finding[] => {
  const [before, after] = [1, 2].map((index) => middle(third(samples, index), ({ rssAnonBytes }) => rssAnonBytes));
  const memory = (after ?? 0) / (before ?? 0);
  const [first, last] = [samples.slice(0, EDGE), samples.slice(-EDGE)].map((edge) => middle(edge, ({ p99Ms }) => p99Ms));
  const latency = (last ?? 0) / (first ?? 0);
  const stores = [...(samples.at(-1)?.stores ?? [])];
  return [
    {
      what: `memory (RssAnon) of the last third at most ${MEMORY_GROWTH} × that of the middle third`,
      seen: ratio(memory),
      holds: memory <= MEMORY_GROWTH,
    },
    { what: `p99 at the end at most ${LATENCY_GROWTH} × that of the beginning`, seen: ratio(latency), holds: latency <= LATENCY_GROWTH },
    ...stores.map(([name, { file, held }]) => ({
      what: `${name}: file at most ${FILE_FACTOR} × what it holds, and ${SLACK_BYTES / MIB} MiB`,
      seen: `${mib(file)} MiB, holds ${mib(held)} MiB`,
      holds: file <= FILE_FACTOR * held + SLACK_BYTES,
    })),
    { what: 'every answer is as it must be', seen: failures[0] ?? 'yes', holds: failures.length === 0 },
  ];
};

/** A line for each interval. */
export const soakTable = (samples: readonly SoakSample[]): Table => {
  const names = [...new Set(samples.flatMap(({ stores }) => [...stores.keys()]))];
  return {
    head: ['minute', 'calls/s', 'p50 ms', 'p99', 'late', 'longest turn', 'RssAnon MiB', ...names.map((name) => `${name} MiB`), ''],
    rows: samples.map(({ minute, perSecond, p50Ms, p99Ms, late, longestTurnMs, rssAnonBytes, stores, during }) => [
      minute.toFixed(1),
      ...[perSecond, p50Ms, p99Ms].map(figure),
      `${late}`,
      figure(longestTurnMs),
      mib(rssAnonBytes),
      ...names.map((name) => {
        const { file = 0, held = 0 } = stores.get(name) ?? {};
        return `${mib(held)} / ${mib(file)}`;
      }),
      during,
    ]),
  };
};
