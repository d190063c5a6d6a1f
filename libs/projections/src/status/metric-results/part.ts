import { deflated, inflated } from '#domain/shared/bytes/compression.js';
import { NumberedNames } from '#domain/shared/numbered-names.js';
import { EvenNumbers, NumberReader, NumberWriter } from './numbers.js';
import { byTime, type Point, PointSet, type PointTexts, type RareMembers, type Series } from './point-set.js';

/** Stored bytes of a part: everything but texts, and texts. */
type Part = Readonly<{ points: Buffer; texts: Buffer }>;

const less = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

const bySeries = (left: Series, right: Series): number =>
  less(left.host, right.host) ||
  less(left.service, right.service) ||
  less(left.metric, right.metric) ||
  less(left.report ?? '', right.report ?? '') ||
  less(left.group, right.group) ||
  less(left.monitoringHost ?? '', right.monitoringHost ?? '');

type Ordered = Readonly<{ series: readonly Series[]; points: readonly number[] }>;

/** The series in order, and the numbers of all points series by series, each in order of time. */
const ordered = (set: PointSet): Ordered => {
  const series = [...set.series].sort(bySeries);
  const points = series.flatMap(({ points: numbers }) => [...numbers].sort((left, right) => byTime(set.point(left), set.point(right))));
  return { series, points };
};

const EXTRAS = ['previous_timestamp', 'previous_state', 'info', 'actual_data', 'threshold_rule_applied', 'original_status'] as const;

/** For each optional member that any point has: its name, the places of the points that have it, and its values. */
type ExtraColumns = readonly (readonly [name: keyof RareMembers, places: readonly number[], values: readonly unknown[]])[];

const extraColumns = (points: readonly Point[]): ExtraColumns =>
  EXTRAS.flatMap((name) => {
    const places = points.flatMap(({ extras }, place) => (extras?.[name] === undefined ? [] : [place]));
    const gaps = places.map((place, index) => place - (places[index - 1] ?? 0));
    return places.length > 0 ? [[name, gaps, places.map((place) => points[place]?.extras?.[name])] as const] : [];
  });

const pointsSection = (set: PointSet, { series, points }: Ordered): Buffer => {
  const all = points.map((number) => set.point(number));
  const positions = [...new Set(all.map(({ position }) => position))].sort((left, right) => left - right);
  const eventOf = new Map(positions.map((position, event) => [position, event]));
  const names = new NumberedNames();
  const body = new NumberWriter();
  body.number(positions.length);
  for (const [event, position] of positions.entries()) body.number(position - (positions[event - 1] ?? 0));
  body.number(series.length);
  for (const { host, service, metric, report, group, monitoringHost, points: numbers } of series) {
    body.number(numbers.length);
    for (const name of [host, service, metric, group]) body.number(names.of(name));
    for (const name of [report, monitoringHost]) body.number(name === undefined ? 0 : names.of(name) + 1); // 0: there is none
  }
  const column = (memberOf: (point: Point) => number): void => {
    let [last, numbers] = [undefined as Series | undefined, new EvenNumbers()];
    for (const point of all) {
      if (point.series !== last) [last, numbers] = [point.series, new EvenNumbers()];
      body.number(numbers.stored(memberOf(point)));
    }
  };
  column(({ at }) => at);
  column(({ position }) => eventOf.get(position) ?? 0);
  column(({ index }) => index);
  for (const { status } of all) body.number(names.of(status));
  const whole = new NumberWriter();
  whole.text(JSON.stringify(names.all));
  return deflated(Buffer.concat([whole.all(), body.all()]));
};

/**
 * For each text a number: 0 = the one before in the series, 1 = the next new one, n + 2 = the new one with number n. Summaries and messages of a
 * series are compared with their own kind.
 */
const textsSection = (set: PointSet, { points }: Ordered, textsOf: (number: number) => PointTexts): Buffer => {
  const numbers = new NumberWriter();
  const known = new Map<string, number>();
  let last: Series | undefined;
  let before: PointTexts | undefined;
  const write = (text: string, earlier: string | undefined): void => {
    const number = known.get(text);
    if (text === earlier) numbers.number(0);
    else if (number === undefined) {
      known.set(text, known.size);
      numbers.number(1);
    } else numbers.number(number + 2);
  };
  for (const number of points) {
    const { series } = set.point(number);
    if (series !== last) [last, before] = [series, undefined];
    const texts = textsOf(number);
    write(texts.summary, before?.summary);
    write(texts.message, before?.message);
    before = texts;
  }
  const whole = new NumberWriter();
  whole.text(JSON.stringify([...known.keys()]));
  return deflated(Buffer.concat([whole.all(), numbers.all()]));
};

/** Lays points out by series and column, in which they take a fraction of the bytes of their rows. The same points always give the same bytes. */
export const partOf = (set: PointSet, textsOf: (number: number) => PointTexts): Part => {
  const order = ordered(set);
  const points = pointsSection(set, order);
  const extras = extraColumns(order.points.map((number) => set.point(number)));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(points.length);
  const rest = extras.length > 0 ? deflated(JSON.stringify(extras)) : Buffer.alloc(0);
  return { points: Buffer.concat([length, points, rest]), texts: textsSection(set, order, textsOf) };
};

const extrasIn = (bytes: Buffer): ReadonlyMap<number, RareMembers> => {
  const extras = new Map<number, RareMembers>();
  if (bytes.length === 0) return extras;
  for (const [name, gaps, values] of JSON.parse(inflated(bytes).toString()) as ExtraColumns) {
    let place = 0;
    for (const [index, gap] of gaps.entries()) {
      place += gap;
      extras.set(place, { ...extras.get(place), [name]: values[index] });
    }
  }
  return extras;
};

/** The points of a part. They are numbered as their texts are. */
export const pointsIn = (stored: Buffer): PointSet => {
  const end = 4 + stored.readUInt32LE(0);
  const extras = extrasIn(stored.subarray(end));
  const reader = new NumberReader(inflated(stored.subarray(4, end)));
  const names = JSON.parse(reader.text()) as readonly string[];
  const name = (): string => names[reader.number()] as string;
  const optionalName = (): string | undefined => names[reader.number() - 1];
  let position = 0;
  const positions = Array.from({ length: reader.number() }, () => {
    position += reader.number();
    return position;
  });
  const set = new PointSet();
  const series: Series[] = [];
  for (let left = reader.number(); left > 0; left--) {
    const count = reader.number();
    const [host, service, metric, group] = [name(), name(), name(), name()] as [string, string, string, string];
    const [report, monitoringHost] = [optionalName(), optionalName()];
    const one = set.begin({ host, service, metric, report, group, monitoringHost });
    for (let number = 0; number < count; number++) series.push(one);
  }
  const column = (): readonly number[] => {
    let [last, numbers] = [undefined as Series | undefined, new EvenNumbers()];
    return series.map((one) => {
      if (one !== last) [last, numbers] = [one, new EvenNumbers()];
      return numbers.value(reader.number());
    });
  };
  const [seconds, events, indexes] = [column(), column(), column()];
  for (const [place, one] of series.entries())
    set.add({
      series: one,
      at: seconds[place] as number,
      position: positions[events[place] as number] as number,
      index: indexes[place] as number,
      status: name(),
      extras: extras.get(place),
    });
  return set;
};

/** Texts of points, by their numbers. `characters`: of the different ones. */
export type PartTexts = Readonly<{ all: readonly PointTexts[]; characters: number }>;

/** The texts of the points of a part. */
export const textsIn = (stored: Buffer, set: PointSet): PartTexts => {
  const reader = new NumberReader(inflated(stored));
  const known = JSON.parse(reader.text()) as readonly string[];
  let next = 0;
  let last: Series | undefined;
  let before: PointTexts = { summary: '', message: '' };
  const read = (earlier: string): string => {
    const number = reader.number();
    if (number === 0) return earlier;
    return known[number === 1 ? next++ : number - 2] as string;
  };
  const all = set.points.map(({ series }) => {
    if (series !== last) [last, before] = [series, { summary: '', message: '' }];
    before = { summary: read(before.summary), message: read(before.message) };
    return before;
  });
  return { all, characters: known.reduce((sum, { length }) => sum + length, 0) };
};
