/** The status is valid from the second `at` of the day until the next step. Seconds since 00:00:00 UTC. */
export type StatusStep = Readonly<{ at: number; status: string }>;

/**
 * The statuses of one day, [00:00:00, 24:00:00). The first step is at 0, the others follow in order, and neighbours differ. Today's timeline ends at
 * the time of the answer.
 */
export type Timeline = readonly StatusStep[];

export const DAY_SECONDS = 86_400;

/** Status by which recomputations exclude time: neutral in combinations, unknown in the figures. */
export const EXCLUDED = 'EXCLUDED';

/** Overrides the status from `from` to `to` (exclusive), with `from` < `to`. */
export type Segment = Readonly<{ from: number; to: number; status: string }>;

/** Appends a step to a timeline under construction. Equal neighbours are merged. A step replaces an earlier one at the same second. */
export const append = (steps: StatusStep[], at: number, status: string): void => {
  if (steps.at(-1)?.at === at) steps.pop();
  if (steps.at(-1)?.status !== status) steps.push({ at, status });
};

/** The timeline up to and including the second `now` of the day. The first step is always kept. */
export const cutAt = (timeline: Timeline, now: number): Timeline => {
  const end = timeline.findLastIndex(({ at }) => at <= now) + 1;
  return end === timeline.length ? timeline : timeline.slice(0, Math.max(1, end));
};

export const statusAt = (timeline: Timeline, second: number): string => {
  let [first, last] = [0, timeline.length - 1];
  while (first < last) {
    const middle = Math.ceil((first + last) / 2);
    if (timeline[middle]!.at <= second) first = middle;
    else last = middle - 1;
  }
  return timeline[first]!.status;
};

/** Finds the segment at a second. Segments are in order and without overlap, and seconds must be passed in order. */
export const segmentsInOrder = (segments: readonly Segment[]): ((second: number) => Segment | undefined) => {
  let next = 0;
  return (second) => {
    while ((segments[next]?.to ?? DAY_SECONDS) <= second) next++;
    const segment = segments[next];
    return segment && segment.from <= second ? segment : undefined;
  };
};

/** Lays segments over a timeline. The segments are in order and do not overlap. Linear in both. */
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

/** Resolves overlaps of segments: later ones in the list take precedence. The result is in order. Neighbours are not merged. Takes n log n steps. */
export const painted = (layers: readonly Segment[]): readonly Segment[] => {
  if (layers.length < 2) return layers;
  const bounds = [...new Set(layers.flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other);
  const indexOf = new Map(bounds.map((bound, index) => [bound, index]));
  const statuses: (string | undefined)[] = bounds.map(() => undefined);
  /** Index of the next free piece, found by following the occupied ones (union-find). */
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
