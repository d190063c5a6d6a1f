import { either, matcher, maybe, one, repeated, sequence, word } from '#domain/shared/pattern.js';
import { datedResource, firstLines } from './dated-records.js';

/** `endpoint_group` and `host` are left out where the rule holds for all of them. `thresholds` is performance data with ranges. */
export type ThresholdRule = Readonly<{ endpoint_group?: string; host?: string; metric: string; thresholds: string }>;

/** Thresholds that override what probes found (status extended contract 2). */
export type ThresholdsProfile = Readonly<{ name: string; rules: readonly ThresholdRule[] }>;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 12 || code === 13;

const wordCharacter = one((code) => isLetter(code) || isDigit(code) || code === 95);
const label = sequence(one(isLetter), wordCharacter, repeated(wordCharacter));
const digits = sequence(one(isDigit), repeated(one(isDigit)));
const number = sequence(maybe(word('-')), digits, repeated(sequence(word('.'), digits)));
const unit = either(...['s', 'us', 'ms', '%', 'B', 'KB', 'MB', 'TB', 'c'].map(word));
/** `@` (inside instead of outside) is documented, though the original refuses it. */
const range = sequence(maybe(word('@')), either(number, sequence(either(word('~'), number), word(':'), maybe(number))));
const separator = word(';');
/** Value, warning range, critical range, minimum, maximum. */
const item = sequence(
  label,
  word('='),
  number,
  maybe(unit),
  maybe(sequence(separator, maybe(range), maybe(sequence(separator, maybe(range))))),
  maybe(sequence(separator, maybe(number), maybe(sequence(separator, maybe(number))))),
  repeated(either(separator, one(isSpace))),
);

/** Whether a text is in the grammar of the contract. */
export const isThresholds = matcher(sequence(item, repeated(item)));

function* invalid(rules: readonly ThresholdRule[]): Generator<string> {
  for (const { thresholds } of rules) if (!isThresholds(thresholds)) yield `Invalid threshold: ${thresholds}`;
}

export const thresholdsProfiles = datedResource<ThresholdsProfile>({
  kind: 'thresholds_profiles',
  events: { dated: 'ThresholdsProfileSnapshotDated', deleted: 'ThresholdsProfileDeleted' },
  checks: { create: ['name', 'contents'], revise: ['contents', 'name'] },
  validate: ({ rules }) => firstLines(invalid(rules)),
});
