import type { Profiler } from 'node:inspector';
import type { Sources } from './sources.js';
import { MEASURING, STAGE_RULES, type Stage, type StageRule } from './stage-rules.js';

/** Microseconds of a call by stage; stages that took none are absent. */
export type StageTimes = ReadonlyMap<Stage, number>;

type Place = Readonly<{ functionName: string; path: string }>;

/** What V8 shows as functions. */
const OF_V8: ReadonlyMap<string, Stage | 'idle'> = new Map([
  ['(garbage collector)', 'GC'],
  ['(program)', 'native'],
  ['(idle)', 'idle'],
] as const);

const ruleOf = (path: string): StageRule | undefined => STAGE_RULES.find((rule) => rule.path.test(path));

/**
 * The stage of code that runs, given its place and those of its callers, innermost first: that of the first that has one. `undefined`: nobody's work, for
 * the thread waited or was measured.
 */
export const stageOf = (places: readonly Place[]): Stage | undefined => {
  const special = OF_V8.get(places[0]?.functionName ?? '');
  if (special !== undefined) return special === 'idle' ? undefined : special;
  if (places.some(({ path }) => MEASURING.test(path))) return undefined;
  const rules = places.flatMap(({ path }) => ruleOf(path) ?? []);
  const [first, ...callers] = rules;
  if (!first) return 'other';
  const { servesCallers } = first;
  return callers.find(({ stage }) => servesCallers?.includes(stage))?.stage ?? first.stage;
};

/** Microseconds of each stage in the profile. `counts`: which samples do, by when they were taken; default: all. */
export const timesByStage = (
  profile: Profiler.Profile,
  sources: Pick<Sources, 'of'>,
  counts: (micros: number) => boolean = () => true,
): StageTimes => {
  const parents = new Map<number, Profiler.ProfileNode>();
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node);
  const places = new Map(
    profile.nodes.map(({ id, callFrame }) => [id, { functionName: callFrame.functionName, path: sources.of(callFrame) }] as const),
  );
  const stages = new Map<number, Stage | undefined>();
  const stageOfNode = (id: number): Stage | undefined => {
    if (stages.has(id)) return stages.get(id);
    const line: Place[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)?.id)
      line.push(places.get(at) ?? { functionName: '', path: '' });
    const stage = stageOf(line);
    stages.set(id, stage);
    return stage;
  };
  const times = new Map<Stage, number>();
  let at = profile.startTime;
  (profile.samples ?? []).forEach((id, index) => {
    const delta = profile.timeDeltas?.[index] ?? 0;
    at += delta;
    const stage = stageOfNode(id);
    if (stage !== undefined && counts(at)) times.set(stage, (times.get(stage) ?? 0) + delta);
  });
  return times;
};

/** Shares the processor time of a thread for a call among the stages of its profile. */
export const stageTimes = (profile: Profiler.Profile, sources: Pick<Sources, 'of'>, micros: number): StageTimes => {
  const times = timesByStage(profile, sources);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return new Map([...times].map(([stage, time]) => [stage, (time / total) * micros]));
};
