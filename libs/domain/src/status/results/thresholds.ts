import type { ThresholdRule } from '#domain/status/dated-records/thresholds-profiles.js';
import type { Combine } from './fold-tree.js';

/** Both limits are exclusive. `outside`: everything except the values between them. */
type Range = Readonly<{ low: number; high: number; outside: boolean }>;
type RuleItem = Readonly<{ text: string; warning?: Range; critical?: Range }>;
/** The ranges of a rule by label. */
type Ranges = ReadonlyMap<string, RuleItem>;

/** A point to which a rule may apply. */
type Judged = Readonly<{ status: string; actualData?: string }>;
/** The status that a rule derives from data. `rule`: the decisive items, joined by blanks. */
type Opinion = Readonly<{ status: string; rule: string }>;
/** The status that a rule assigns to a point. */
type ThresholdVerdict = Opinion & Readonly<{ originalStatus: string }>;

const SEPARATOR = /(?:;|\s)(?=[A-Za-z])/;
/** Valid items at any position, and those with a decimal comma, the last group. Invalid ones are skipped. */
const DATA = /(?:^|[;\s])([A-Za-z]\w*)=([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(,\d)?/g;
const LABEL = /^([A-Za-z]\w*)=/;
const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)`;
const RANGE = new RegExp(`^(@)?(?:(?:(~|${NUMBER}):(${NUMBER})?)|(${NUMBER}))$`);

/** Items of a rule, split at a `;` or blanks before a letter. Linear in the length of the text. */
const itemsOf = (text: string): readonly string[] =>
  text
    .split(SEPARATOR)
    .map((item) => item.trim())
    .filter((item) => item !== '');

const rangeOf = (text = ''): Range | undefined => {
  const [matched, inverted, low, high, alone] = RANGE.exec(text.trim()) ?? [];
  if (matched === undefined) return undefined;
  const outside = inverted !== undefined;
  if (alone !== undefined) return { low: 0, high: Number(alone), outside };
  return {
    low: low === '~' ? Number.NEGATIVE_INFINITY : Number(low),
    high: high === undefined ? Number.POSITIVE_INFINITY : Number(high),
    outside,
  };
};

const isIn = (value: number, range: Range | undefined): boolean =>
  range !== undefined && (value > range.low && value < range.high) !== range.outside;

const rangesOf = (thresholds: string): Ranges => {
  const items = new Map<string, RuleItem>();
  for (const text of itemsOf(thresholds)) {
    const label = LABEL.exec(text)?.[1];
    if (label === undefined) continue;
    const [, warning, critical] = text.split(';', 3);
    items.set(label, { text, warning: rangeOf(warning), critical: rangeOf(critical) });
  }
  return items;
};

/** Values by label, in the order of the items that count: the last one of equal labels. */
const valuesOf = (actualData: string): ReadonlyMap<string, number> => {
  const values = new Map<string, number>();
  for (const [, label = '', number, comma] of actualData.matchAll(DATA)) {
    if (comma !== undefined) continue;
    values.delete(label);
    values.set(label, Number(number));
  }
  return values;
};

const keyOf = (metric: string, host = '', group = ''): string => JSON.stringify([metric, host, group]);

/** Rules of a profile. Each text is parsed once (results contract 4). */
export class Thresholds {
  private readonly rules = new Map<string, string>();
  private readonly parsed = new Map<string, Ranges>();

  /** `and`: the operation `AND` of the operations profile. */
  constructor(
    rules: readonly ThresholdRule[],
    private readonly and: Combine,
  ) {
    for (const { metric, host, endpoint_group, thresholds } of rules) this.rules.set(keyOf(metric, host, endpoint_group), thresholds);
  }

  /** Ranges of the most specific rule for a metric. `undefined` if there is none. */
  rangesFor(group: string, host: string, metric: string): Ranges | undefined {
    if (this.rules.size === 0) return undefined;
    const keys = [keyOf(metric, host, group), keyOf(metric, host), keyOf(metric, '', group), keyOf(metric)];
    const key = keys.find((one) => this.rules.has(one));
    return key === undefined ? undefined : this.parse(this.rules.get(key)!);
  }

  /** Applies a rule to points. Equal data is judged once. `undefined`: the point is unchanged. */
  judging(ranges: Ranges): (point: Judged) => ThresholdVerdict | undefined {
    const known = new Map<string, Opinion | null>();
    return ({ status, actualData }) => {
      if (!actualData) return undefined;
      let opinion = known.get(actualData);
      if (opinion === undefined) {
        opinion = this.opinionOn(actualData, ranges);
        known.set(actualData, opinion);
      }
      return opinion === null || opinion.status === status ? undefined : { ...opinion, originalStatus: status };
    };
  }

  private opinionOn(actualData: string, ranges: Ranges): Opinion | null {
    const opinions: string[] = [];
    const texts: string[] = [];
    for (const [label, value] of valuesOf(actualData)) {
      const item = ranges.get(label);
      const inWarning = item && isIn(value, item.warning);
      if (!item || !(inWarning || isIn(value, item.critical))) continue;
      opinions.push(inWarning ? 'WARNING' : 'CRITICAL');
      texts.push(item.text);
    }
    if (opinions.length === 0) return null;
    // Unlike `join`, this copies no long text: an item may take megabytes, and very many points are held at once.
    return { status: opinions.reduce(this.and), rule: texts.reduce((rule, text) => `${rule} ${text}`) };
  }

  private parse(thresholds: string): Ranges {
    const known = this.parsed.get(thresholds) ?? rangesOf(thresholds);
    this.parsed.set(thresholds, known);
    return known;
  }
}
