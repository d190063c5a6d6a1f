import { datedResource, firstLines } from './dated-records.js';

/** `endpoint_group` and `host`: absent if the rule applies to all. `thresholds`: performance data with ranges. */
export type ThresholdRule = Readonly<{ endpoint_group?: string; host?: string; metric: string; thresholds: string }>;

/** Thresholds that override the results of probes (status extended contract 2). */
export type ThresholdsProfile = Readonly<{ name: string; rules: readonly ThresholdRule[] }>;

const NUMBER = String.raw`-?\d[\d.]*`;
/** A value outside the range is an alert. With `@`, a value inside it (documented, although the original service refuses it). */
const RANGE = `@?(?:(?:~|${NUMBER}):(?:${NUMBER})?|${NUMBER})`;
/** A unit, unless the letters are the label of the next item: `ab=1ms=2` contains the two items `ab=1` and `ms=2`. */
const UNIT = String.raw`(?:%|(?:[um]?s|[KMT]?B|c)(?!\w*=))`;
/**
 * Label, value, warning range, critical range, minimum, maximum. Each character allows only one continuation, so that matching takes time linear in
 * the length of the text.
 */
const ITEMS = new RegExp(
  String.raw`[A-Za-z]\w+=${NUMBER}${UNIT}?(?:;(?:${RANGE})?){0,2}(?:;(?:${NUMBER})?){0,2}[; \t\n\f\r]*`,
  'gy', // items must be adjacent
);
const POINT_WITHOUT_DIGITS = /\.(?!\d)/;

/** Whether a text matches the grammar of the contract: at least one item and nothing else. */
export const isThresholds = (text: string): boolean => text !== '' && !POINT_WITHOUT_DIGITS.test(text) && text.replace(ITEMS, '') === '';

function* invalid(rules: readonly ThresholdRule[]): Generator<string> {
  for (const { thresholds } of rules) if (!isThresholds(thresholds)) yield `Invalid threshold: ${thresholds}`;
}

export const thresholdsProfiles = datedResource<ThresholdsProfile>({
  kind: 'thresholds_profiles',
  events: { dated: 'ThresholdsProfileSnapshotDated', deleted: 'ThresholdsProfileDeleted' },
  checks: { create: ['name', 'contents'], revise: ['contents', 'name'] },
  validate: ({ rules }) => firstLines(invalid(rules)),
});
