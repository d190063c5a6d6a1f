import type { Profiler } from 'node:inspector';
import type { Turns } from '#test/bench/servers/server-preload.js';
import type { Sources } from './sources.js';
import { type StageTimes, timesByStage } from './stages.js';

/** Turns of the event loop of the main thread under load. */
export type TurnFigures = Readonly<{
  longestMs: number;
  /** Of all turns that took a millisecond or more. */
  p999Ms: number;
  /** How many turns over 20 ms there were in a second. */
  longPerSecond: number;
  /** What ran in turns over 20 ms of the slice whose CPU profile was taken, in microseconds. */
  causes: StageTimes;
}>;

/** What ran in long turns. Their times and those of the profile are of one clock. */
export const causesOf = (profile: Profiler.Profile, sources: Pick<Sources, 'of'>, { long }: Turns): StageTimes =>
  timesByStage(profile, sources, (micros) => long.some(([from, to]) => from < micros && micros <= to));

export const turnFigures = (slices: readonly Turns[], causes: StageTimes): TurnFigures => {
  const millis = slices.flatMap((slice) => slice.millis).sort((left, right) => left - right);
  const seconds = millis.reduce((sum, took) => sum + took, 0) / 1_000;
  const long = slices.reduce((sum, slice) => sum + slice.long.length, 0);
  return {
    longestMs: millis.at(-1) ?? 0,
    p999Ms: millis[Math.floor(millis.length * 0.999)] ?? 0,
    longPerSecond: seconds > 0 ? long / seconds : 0,
    causes,
  };
};
