import type { Effort, Sample, Side, Target } from './scenario.js';

export type Round = Readonly<{ logbook: Sample; reference: Sample }>;

/** `median` of the rounds' ratios with the smallest and the largest. */
export type Ratio = Readonly<{ median: number; min: number; max: number }>;

/**
 * Runs both sides in alternating short slices, so that what disturbs the machine for longer disturbs both; every other round begins with
 * the reference, so that a drift within rounds favours neither. Returns the rounds after the warm-up.
 * @throws AbortError between two rounds, and what the sides throw
 */
export const alternate = async (
  sides: Readonly<{ logbook: Side; reference: Side }>,
  effort: Effort,
  signal: AbortSignal,
): Promise<readonly Round[]> => {
  const rounds: Round[] = [];
  for (let round = -effort.warmUps; round < effort.rounds; round++) {
    signal.throwIfAborted();
    const referenceFirst = round % 2 !== 0;
    const before = referenceFirst ? await sides.reference() : undefined;
    const logbook = await sides.logbook();
    const reference = before ?? (await sides.reference());
    if (round >= 0) rounds.push({ logbook, reference });
  }
  return rounds;
};

/** @throws when a write was answered before it could be read: the ratio would not be that of the same promise */
export const requireReadable = (rounds: readonly Round[]): readonly Round[] => {
  const late = rounds.reduce((sum, { logbook }) => sum + (logbook.late ?? 0), 0);
  if (late > 0) throw new Error(`${late} writes could not be read when they were answered`);
  return rounds;
};

/** The middle value; of an even number of values the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  if (low === undefined || high === undefined) throw new Error('no values');
  return (low + high) / 2;
};

/** Of throughputs, or for an `atMost` target of times. */
export const ratioOf = (rounds: readonly Round[], target: Target | undefined): Ratio => {
  const ofTimes = target !== undefined && 'atMost' in target;
  const ratios = rounds.map(({ logbook, reference }) =>
    ofTimes ? reference.perSecond / logbook.perSecond : logbook.perSecond / reference.perSecond,
  );
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
};

export const isMet = ({ median }: Ratio, target: Target): boolean =>
  'atLeast' in target ? median >= target.atLeast : median <= target.atMost;
