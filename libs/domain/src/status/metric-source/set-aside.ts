/** Outcome of a message that is not metric data: it went to the dead-letter topic, there is no such topic, or it was set aside too often before. */
export const LETTER_OUTCOMES = ['deadLettered', 'discarded', 'dropped'] as const;
export type LetterOutcome = (typeof LETTER_OUTCOMES)[number];

/** A range of offsets. `to` is exclusive. */
export type OffsetRange = Readonly<{ from: number; to: number }>;

/** Adjacent messages that were set aside with the same outcome. */
export type SetAside = OffsetRange & Readonly<{ fate: LetterOutcome }>;

/** Groups messages, which are in the order of their offsets, into ranges with the same outcome. */
export const runsOf = (messages: Iterable<Readonly<{ offset: number; fate: LetterOutcome }>>): readonly SetAside[] => {
  const runs: SetAside[] = [];
  for (const { offset, fate } of messages) {
    const last = runs.at(-1);
    if (last?.to === offset && last.fate === fate) runs[runs.length - 1] = { ...last, to: offset + 1 };
    else runs.push({ from: offset, to: offset + 1, fate });
  }
  return runs;
};

/** `undefined` if the message was not set aside. */
export const outcomeOf = (runs: readonly SetAside[], offset: number): LetterOutcome | undefined =>
  runs.find(({ from, to }) => from <= offset && offset < to)?.fate;

/** Replaces the ranges within `part` by `inside`. */
export const replacedIn = (runs: readonly SetAside[], part: OffsetRange, inside: readonly SetAside[]): readonly SetAside[] => [
  ...runs.flatMap((run) => (run.from < part.from ? [{ ...run, to: Math.min(run.to, part.from) }] : [])),
  ...inside,
  ...runs.flatMap((run) => (run.to > part.to ? [{ ...run, from: Math.max(run.from, part.to) }] : [])),
];

export const countOutcomes = (fates: Iterable<LetterOutcome>): Readonly<Record<LetterOutcome, number>> => {
  const counts = { deadLettered: 0, discarded: 0, dropped: 0 };
  for (const fate of fates) counts[fate]++;
  return counts;
};
