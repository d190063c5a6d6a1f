/** From the second `at` of the day on, the status holds until the next step. Seconds since 00:00:00 UTC. */
export type StatusStep = Readonly<{ at: number; status: string }>;

/**
 * The statuses of one day, [00:00:00, 24:00:00). The first step is at 0, the others follow in order, neighbours differ. Of today the last step
 * holds up to the moment of the answer; nothing later is in it.
 */
export type Timeline = readonly StatusStep[];

/** Seconds of a whole day. */
export const DAY_SECONDS = 86_400;

/** What recomputations set to leave time out: neutral when timelines are combined, unknown in the figures. */
export const EXCLUDED = 'EXCLUDED';

/** `from` <= t < `to`, with `from` < `to`: the status holds instead of what is below. */
export type Segment = Readonly<{ from: number; to: number; status: string }>;

/** Puts a step at the end of a timeline in the making: equal neighbours are one, of two steps at one second the later holds. */
export const append = (steps: StatusStep[], at: number, status: string): void => {
  if (steps.at(-1)?.at === at) steps.pop();
  if (steps.at(-1)?.status !== status) steps.push({ at, status });
};

/** The timeline up to the second `now` of the day, included; the first step stays always. */
export const cutAt = (timeline: Timeline, now: number): Timeline => {
  const end = timeline.findLastIndex(({ at }) => at <= now) + 1;
  return end === timeline.length ? timeline : timeline.slice(0, Math.max(1, end));
};

/** The status at a second of the day. */
export const statusAt = (timeline: Timeline, second: number): string => {
  let [first, last] = [0, timeline.length - 1];
  while (first < last) {
    const middle = Math.ceil((first + last) / 2);
    if (timeline[middle]!.at <= second) first = middle;
    else last = middle - 1;
  }
  return timeline[first]!.status;
};

/** The segment at a second; for seconds that are asked for in order, of segments in order and without overlap. */
export const segmentsInOrder = (segments: readonly Segment[]): ((second: number) => Segment | undefined) => {
  let next = 0;
  return (second) => {
    while ((segments[next]?.to ?? DAY_SECONDS) <= second) next++;
    const segment = segments[next];
    return segment && segment.from <= second ? segment : undefined;
  };
};

/** Lays segments over a timeline; they are in order and do not overlap. Linear in both. */
export const overlay = (timeline: Timeline, segments: readonly Segment[]): Timeline => {
  if (segments.length === 0) return timeline;
  const steps: StatusStep[] = [];
  let next = 0;
  let below = '';
  const takeBefore = (end: number, emit: boolean) => {
    for (let step = timeline[next]; step && step.at < end; step = timeline[++next]) {
      below = step.status;
      if (emit) append(steps, step.at, below);
    }
  };
  for (const { from, to, status } of segments) {
    takeBefore(from, true);
    append(steps, from, status);
    takeBefore(to, false);
    if (to < DAY_SECONDS && timeline[next]?.at !== to) append(steps, to, below);
  }
  takeBefore(DAY_SECONDS, true);
  return steps;
};

/**
 * Segments in order and without overlap, from some that may overlap: of those the later in the list wins. Neighbours are not merged. n log n.
 */
export const painted = (layers: readonly Segment[]): readonly Segment[] => {
  if (layers.length < 2) return layers;
  const bounds = [...new Set(layers.flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other);
  const indexOf = new Map(bounds.map((bound, index) => [bound, index]));
  const statuses: (string | undefined)[] = bounds.map(() => undefined);
  /** Index of the next piece that is still free, found by following the pieces that were taken. */
  const free = bounds.map((_, index) => index);
  const nextFree = (index: number): number => {
    let found = index;
    while (free[found] !== found) {
      free[found] = free[free[found]!]!;
      found = free[found]!;
    }
    return found;
  };
  for (const { from, to, status } of layers.toReversed()) {
    const end = indexOf.get(to)!;
    for (let piece = nextFree(indexOf.get(from)!); piece < end; piece = nextFree(piece)) {
      statuses[piece] = status;
      free[piece] = piece + 1;
    }
  }
  return statuses.flatMap((status, index) => (status === undefined ? [] : [{ from: bounds[index]!, to: bounds[index + 1]!, status }]));
};
