import type { HistoryFiles } from './files.js';
import { nameOf } from './files.js';
import { EMPTY_SPAN, LEVELS, type Span, sumOf } from './span.js';

/** A birth or a death. `level` of the key, for a first birth: then the key is new. */
export type SpanChange = Readonly<{
  collection: string;
  key: string;
  position: number;
  kind: 'first-birth' | 'birth' | 'death';
  level: number;
}>;

const spanName = (level: number, collection: string, key: string): string => `${level}${nameOf(collection, key)}`;
const endName = (level: number, collection: string): string => `${level}${collection}\x01`;

/** The spans of all collections: one begins at the first key, further ones at keys that their hash chooses. */
export class SpanIndex {
  constructor(private readonly files: HistoryFiles) {}

  /** The span of a level that a key lies in: the key that begins it, or the start of the collection. */
  at(level: number, collection: string, key: string): Readonly<{ begin: string; span: Span }> {
    const start = spanName(level, collection, '');
    const [entry] = this.files.spans.getRange({
      start: spanName(level, collection, key),
      end: start,
      inclusiveEnd: true,
      reverse: true,
      limit: 1,
    });
    return entry ? { begin: entry.key.slice(start.length), span: entry.value } : { begin: '', span: EMPTY_SPAN };
  }

  /** The key that begins the next span of the level. Undefined: there is none. */
  after(level: number, collection: string, key: string): string | undefined {
    const start = spanName(level, collection, key);
    const [next] = this.files.spans.getKeys({ start, exclusiveStart: true, end: endName(level, collection), limit: 1 });
    return next?.slice(spanName(level, collection, '').length);
  }

  /** The spans of a level from that of a key on, or downwards; `isPassed`: from the one before the span that begins with the key. */
  from(
    level: number,
    collection: string,
    key: string,
    reverse: boolean,
    isPassed: boolean,
  ): Iterable<Readonly<{ begin: string; span: Span }>> {
    const first = spanName(level, collection, '');
    const spans = reverse
      ? this.files.spans.getRange({
          start: spanName(level, collection, key),
          exclusiveStart: isPassed,
          end: first,
          inclusiveEnd: true,
          reverse,
        })
      : this.files.spans.getRange({
          start: spanName(level, collection, this.at(level, collection, key).begin),
          end: endName(level, collection),
        });
    return spans.map(({ key: name, value }) => ({ begin: name.slice(first.length), span: value }));
  }

  /** Only inside a transaction, before the records of new documents are written: these are counted here. */
  apply(changes: readonly SpanChange[]): void {
    for (const change of changes) if (change.kind === 'first-birth' && change.level > 0) this.split(change);
    const sorted = changes.toSorted((one, other) => compare(one.collection, other.collection) || compare(one.key, other.key));
    for (let level = 1; level <= LEVELS; level++) this.count(level, sorted);
  }

  /** Keys in their order, so that those of one span come together. */
  private count(level: number, sorted: readonly SpanChange[]): void {
    let open: { collection: string; begin: string; end: string | undefined; span: Span } | undefined;
    const close = (): void => {
      if (open) this.files.spans.putSync(spanName(level, open.collection, open.begin), open.span);
    };
    for (const change of sorted) {
      const { collection, key } = change;
      if (!open || open.collection !== collection || (open.end !== undefined && !isBefore(key, open.end))) {
        close();
        open = { collection, ...this.at(level, collection, key), end: this.after(level, collection, key) };
      }
      open.span = changed(open.span, change);
    }
    close();
  }

  /** Begins spans at a new key. Both parts of a span are looked at anew, so that neither keeps what is true of the other one only. */
  private split({ collection, key, level: levels }: SpanChange): void {
    for (let level = 1; level <= levels; level++) {
      const { begin } = this.at(level, collection, key);
      const end = this.after(level, collection, key);
      for (const [from, to] of [
        [begin, key],
        [key, end],
      ] as const)
        this.files.spans.putSync(spanName(level, collection, from), this.sum(level, collection, from, to));
    }
  }

  private sum(level: number, collection: string, from: string, to: string | undefined): Span {
    if (level > 1) {
      const start = spanName(level - 1, collection, from);
      const end = to === undefined ? endName(level - 1, collection) : spanName(level - 1, collection, to);
      return sumOf(this.files.spans.getRange({ start, end }).map(({ value }) => value));
    }
    this.files.readAsOf(-1);
    const end = to === undefined ? `${collection}\x01` : nameOf(collection, to);
    const records = this.files.documents.getRange({ start: nameOf(collection, from), end });
    return sumOf(
      records.map(({ value: { isAlive, birth, since } }) => ({
        firstBirth: birth,
        lastChange: since,
        alive: isAlive ? 1 : 0,
        lastDeath: since, // also of one that is alive: when it died before its last birth, it does not say
      })),
    );
  }
}

const compare = (one: string, other: string): number => (one === other ? 0 : isBefore(one, other) ? -1 : 1);

/** By their UTF-8 bytes, as the store sorts. UTF-16 units sort otherwise only where surrogates meet characters above them. */
export const isBefore = (one: string, other: string): boolean => {
  const most = Math.min(one.length, other.length);
  for (let index = 0; index < most; index++) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a === b) continue;
    const [surrogateA, surrogateB] = [(a & 0xf800) === 0xd800, (b & 0xf800) === 0xd800];
    return surrogateA === surrogateB ? a < b : surrogateB;
  }
  return one.length < other.length;
};

const changed = (span: Span, { kind, position }: SpanChange): Span => ({
  firstBirth: Math.min(span.firstBirth, position),
  lastChange: Math.max(span.lastChange, position),
  alive: span.alive + (kind === 'death' ? -1 : 1),
  lastDeath: kind === 'death' ? Math.max(span.lastDeath, position) : span.lastDeath,
});
