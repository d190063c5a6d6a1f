import type { AnswerOf } from '../../api/types.js';

export type ResourceAnswer = AnswerOf<'/audit/resources/{service}/{kind}/{id}'>;
export type Version = ResourceAnswer['versions'][number];

/** Whether a position of the log is not behind another one: they sort by length, then by text. */
const isUpTo = (position: string, last: string): boolean =>
  position.length < last.length || (position.length === last.length && position <= last);

/** The version in force at a moment, an instant or a position; `undefined`: the record was not there yet. Versions: oldest first. */
export const versionAt = (versions: readonly Version[], moment: string): Version | undefined => {
  const isBefore = /^\d+$/.test(moment)
    ? ({ position }: Version) => isUpTo(position, moment)
    : ({ time }: Version) => Date.parse(time) <= Date.parse(moment);
  return versions.findLast(isBefore);
};
