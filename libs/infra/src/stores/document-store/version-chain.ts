import type { Build } from './build.js';
import { type Entry, type FileRange, type Jump, type Links, type VersionPlace, versionIn, versionsBack } from './texts/record.js';
import type { Trail } from './texts/text-cache.js';

/** Records per jump. Every 16th record of a key links to the 16th before it, every 256th to the 256th before it, and so on. */
const STRIDE = 16;
const LEVELS = 4;
const LEVEL_STRIDES = Array.from({ length: LEVELS }, (_, level) => STRIDE ** (level + 1));

/** Further links of the next record of a key. They make old versions reachable in few steps. */
export const jumpsOf = (build: Build, name: string, newest: Entry, trail: Trail = []): readonly Jump[] => {
  const number = newest.number + 1;
  const jumps: Jump[] = [];
  for (let [level, stride] = [0, STRIDE]; level < LEVELS && number % stride === 0; level++, stride *= STRIDE) {
    const jump = trail[level] ?? stepsBack(build, name, level, newest, jumps);
    if (!jump) break;
    jumps.push(jump);
  }
  return jumps;
};

/** The record one jump of this level before the next one, found from the last jump of the level below. */
const stepsBack = (build: Build, name: string, level: number, newest: Entry, jumps: readonly Jump[]): Jump | undefined => {
  let place: FileRange | undefined = level === 0 ? newest : jumps[level - 1];
  for (let step = 1; step < STRIDE && place; step++) {
    const record: Links = build.links(name, place);
    place = level === 0 ? record.before : record.jumps[level - 1];
  }
  return place && { offset: place.offset, length: place.length, position: build.links(name, place).position };
};

/** The trail behind a record, used for the jumps of later records of its key. A first record has none: few keys get a second one. */
export const trailAfter = (trail: Trail | undefined, { number, offset, length, last }: Entry): Trail | undefined =>
  number > 0 && number % STRIDE === 0
    ? LEVEL_STRIDES.map((stride, level) => (number % stride === 0 ? { offset, length, position: last } : trail?.[level]))
    : trail;

/** The version of a document valid at a position. `undefined`: the document did not exist. @throws Damaged */
export const versionAt = (build: Build, name: string, newest: Entry, position: number): VersionPlace | undefined => {
  for (let place: FileRange | undefined = build.file.firstAfter(name, position) ?? newest; place; ) {
    const record = build.record(name, place);
    if (record.position <= position) return record.kind === 'gone' ? undefined : place;
    const version = versionIn(record, position);
    if (version >= 0) {
      const [found] = versionsBack(record, version);
      return found?.kind === 'gone' ? undefined : { offset: place.offset, length: place.length, version };
    }
    place = record.jumps.findLast((jump) => jump.position > position) ?? record.before;
  }
  return undefined;
};

/** Presence of a document at a position, as far as its entry shows. `unknown`: its versions must be read. */
export const presenceAt = ({ birth, last, since, isAlive }: Entry, position: number): 'absent' | 'newest' | 'older' | 'unknown' => {
  if (position < birth) return 'absent';
  if (position >= last) return isAlive ? 'newest' : 'absent';
  return position >= since ? 'older' : 'unknown';
};
