import { exactText } from '#domain/shared/json/exact-json.js';

/** A line of one side: its number from 1. */
type DiffLine = Readonly<{ number: number; text: string }>;

/** A row of a difference side by side: both sides for a line that is the same or was changed, one for a line that was removed or added. */
export type DiffRow = Readonly<{ kind: 'same' | 'changed' | 'removed' | 'added'; before?: DiffLine; after?: DiffLine }>;

/** Beyond so many steps the shortest difference is not looked for: what is between the common ends counts as changed. */
const MOST_STEPS = 600;

type Edit = Readonly<{ before: number; after: number; kind: 'same' | 'removed' | 'added' }>;

/** How far each diagonal was followed: by its number, lines of the one side that were passed. */
type Reached = ReadonlyMap<number, number>;

/** Whether a diagonal is best come to from the one above, by an added line; otherwise from the one below, by a removed line. */
const isAdded = (reached: Reached, diagonal: number, steps: number): boolean =>
  diagonal === -steps || (diagonal !== steps && (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1));

/** Follows a diagonal from a line on, as long as both sides are the same. */
const afterSame = (before: readonly string[], after: readonly string[], start: number, diagonal: number): number => {
  let x = start;
  while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
  return x;
};

/** Which lines stay, by Myers' algorithm; `undefined` where there are too many differences. */
const editsOf = (before: readonly string[], after: readonly string[]): readonly Edit[] | undefined => {
  const trace: Reached[] = [];
  const reached = new Map<number, number>([[1, 0]]);
  for (let steps = 0; steps <= Math.min(MOST_STEPS, before.length + after.length); steps += 1) {
    trace.push(new Map(reached));
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      const start = isAdded(reached, diagonal, steps) ? (reached.get(diagonal + 1) ?? 0) : (reached.get(diagonal - 1) ?? 0) + 1;
      const x = afterSame(before, after, start, diagonal);
      reached.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return wayBack(trace, before.length, after.length);
    }
  }
  return undefined;
};

const wayBack = (trace: readonly Reached[], width: number, height: number): readonly Edit[] => {
  const edits: Edit[] = [];
  let [x, y] = [width, height];
  for (const [step, reached] of [...trace.entries()].reverse()) {
    const added = isAdded(reached, x - y, step);
    const from = x - y + (added ? 1 : -1);
    const [startX, startY] = step === 0 ? [0, 0] : [reached.get(from) ?? 0, (reached.get(from) ?? 0) - from];
    const same = Math.min(x - startX, y - startY);
    for (let at = 1; at <= same; at += 1) edits.push({ before: x - at, after: y - at, kind: 'same' });
    if (step > 0) edits.push({ before: startX, after: startY, kind: added ? 'added' : 'removed' });
    [x, y] = [startX, startY];
  }
  return edits.reverse();
};

const kindOf = (before: DiffLine | undefined, after: DiffLine | undefined): DiffRow['kind'] => {
  if (!before) return 'added';
  if (!after) return 'removed';
  return before.text === after.text ? 'same' : 'changed';
};

const sideBySide = (before: readonly string[], after: readonly string[], edits: readonly Edit[]): readonly DiffRow[] => {
  const rows: DiffRow[] = [];
  const lineOf = (lines: readonly string[], at: number): DiffLine => ({ number: at + 1, text: lines[at] ?? '' });
  let [removed, added]: [DiffLine[], DiffLine[]] = [[], []];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      const [old, fresh] = [removed[at], added[at]];
      rows.push({ kind: kindOf(old, fresh), ...(old && { before: old }), ...(fresh && { after: fresh }) });
    }
    [removed, added] = [[], []];
  };
  for (const { kind, before: old, after: fresh } of edits) {
    if (kind === 'removed') removed.push(lineOf(before, old));
    else if (kind === 'added') added.push(lineOf(after, fresh));
    else {
      flush();
      rows.push({ kind, before: lineOf(before, old), after: lineOf(after, fresh) });
    }
  }
  flush();
  return rows;
};

/** Everything removed, everything added. */
const allChanged = (before: readonly string[], after: readonly string[]): readonly Edit[] => [
  ...before.map((_, at): Edit => ({ before: at, after: 0, kind: 'removed' })),
  ...after.map((_, at): Edit => ({ before: 0, after: at, kind: 'added' })),
];

/** The lines of a value, as JSON is written, without commas at their ends; none of nothing. */
export const linesOf = (value: unknown): readonly string[] =>
  value === null || value === undefined
    ? []
    : exactText(value, 2)
        .split('\n')
        .map((line) => line.replace(/,$/, ''));

/** Two values side by side, line by line. */
export const differenceOf = (before: unknown, after: unknown): readonly DiffRow[] => {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return sideBySide(old, fresh, editsOf(old, fresh) ?? allChanged(old, fresh));
};

/** Rows with what is the same around a change, so many lines of it; a number stands for as many rows that were left out. */
export const aroundChanges = (rows: readonly DiffRow[], context = 3): readonly (DiffRow | number)[] => {
  const near = rows.map((_, at) => rows.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind !== 'same'));
  const shown: (DiffRow | number)[] = [];
  for (const [at, row] of rows.entries()) {
    const last = shown.at(-1);
    if (near[at]) shown.push(row);
    else if (typeof last === 'number') shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
};

/** A part of a line. */
export type DiffWords = Readonly<{ kind: Edit['kind']; text: string }>;

/** Words, numbers such as `0.5`, spaces and single characters. */
const wordsIn = (line: string): readonly string[] => line.match(/[\p{L}\p{N}_]+(?:[.:-][\p{L}\p{N}_]+)*|\s+|./gu) ?? [];

/** Two versions of a line in one: words that were removed stand before those that were added in their place. */
export const wordsOf = (before: string, after: string): readonly DiffWords[] => {
  const [old, fresh] = [wordsIn(before), wordsIn(after)];
  const parts: { kind: Edit['kind']; text: string }[] = [];
  for (const edit of editsOf(old, fresh) ?? allChanged(old, fresh)) {
    const text = (edit.kind === 'added' ? fresh[edit.after] : old[edit.before]) ?? '';
    const last = parts.at(-1);
    if (last?.kind === edit.kind) last.text += text;
    else parts.push({ kind: edit.kind, text });
  }
  return parts;
};

/** A snapshot of a dated record: its day, or `null` for none. */
type Against = Readonly<{ day: string | null; value: unknown }>;

/**
 * What a snapshot of a day is compared with: the snapshot of the same day that it replaces, else the one before by date.
 * @param snapshots by day, as a dated record was before
 */
export const againstOf = (snapshots: unknown, day: string): Against => {
  const days = typeof snapshots === 'object' && snapshots !== null ? Object.entries(snapshots) : [];
  const [found, value = null] = days.findLast(([one]) => one <= day) ?? [];
  return { day: found ?? null, value };
};
