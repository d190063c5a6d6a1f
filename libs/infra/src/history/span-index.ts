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

  /** Begins spans at a new key; what they hold is taken from those before. */
  private split({ collection, key, level: levels }: SpanChange): void {
    for (let level = 1; level <= levels; level++) {
      const { begin, span } = this.at(level, collection, key);
      const inside = level === 1 ? this.ofDocuments(collection, key) : this.ofSpans(level, collection, key);
      this.files.spans.putSync(spanName(level, collection, begin), { ...span, alive: span.alive - inside.alive });
      this.files.spans.putSync(spanName(level, collection, key), inside);
    }
  }

  private ofDocuments(collection: string, key: string): Span {
    const next = this.after(1, collection, key);
    this.files.readAsOf(-1);
    const records = this.files.documents.getRange({
      start: nameOf(collection, key),
      end: next === undefined ? `${collection}\x01` : nameOf(collection, next),
    });
    return sumOf(
      records.map(({ value: { isAlive, birth, since } }) => ({
        firstBirth: birth,
        lastChange: since,
        alive: isAlive ? 1 : 0,
        // A document that is alive may have died at any time before its last birth.
        lastDeath: since,
      })),
    );
  }

  private ofSpans(level: number, collection: string, key: string): Span {
    const next = this.after(level, collection, key);
    const spans = this.files.spans.getRange({
      start: spanName(level - 1, collection, key),
      end: next === undefined ? endName(level - 1, collection) : spanName(level - 1, collection, next),
    });
    return sumOf(spans.map(({ value }) => value));
  }
}

const compare = (one: string, other: string): number => (one === other ? 0 : isBefore(one, other) ? -1 : 1);

/** By their UTF-8 bytes, as the store sorts. UTF-16 units sort otherwise only where surrogates meet characters above them. */
const isBefore = (one: string, other: string): boolean => {
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
