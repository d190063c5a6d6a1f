/**
 * What the two servers chose themselves (positions, times, ids) differs from run to run; how these values relate does not. Remembers
 * which value of ours stands for which recorded one.
 */
export class Relations {
  private readonly ours = new Map<string, string>();
  private readonly recorded = new Map<string, string>();

  /**
   * `actual` with each value of ours replaced by the recorded one it stands for. A value that breaks a relation, or has another shape,
   * is left as it is, so that a comparison with `recorded` fails and shows it.
   */
  align(recorded: unknown, actual: unknown, key = ''): unknown {
    if (Array.isArray(actual) && Array.isArray(recorded)) {
      if (key === 'metadataMap') return this.alignMetadata(recorded, actual);
      return actual.map((item, index) => this.align(recorded[index], item));
    }
    if (isRecord(actual)) {
      const counterpart = isRecord(recorded) ? recorded : {};
      return Object.fromEntries(Object.entries(actual).map(([name, value]) => [name, this.align(counterpart[name], value, name)]));
    }
    if (typeof actual !== 'string' || typeof recorded !== 'string') return actual;
    const kind = kindOf(key, recorded);
    return kind !== undefined && SHAPES[kind].test(actual) && this.bind(kind, recorded, actual) ? recorded : actual;
  }

  /** False when one of the two is bound to something else already. */
  bind(kind: Kind, recorded: string, ours: string): boolean {
    const [from, to] = [`${kind} ${recorded}`, `${kind} ${ours}`];
    // Two events of one call may get the same time here, not the same id or position.
    if (this.ours.has(from)) return this.ours.get(from) === to;
    if (kind !== 'time' && this.recorded.has(to)) return false;
    this.ours.set(from, to);
    this.recorded.set(to, from);
    return true;
  }

  /** Our position for a recorded one; a position that is none of a record lies as far behind the record before it as recorded. */
  ourPosition(recorded: string): string {
    const below = this.positions().findLast(([known]) => known <= BigInt(recorded));
    return below === undefined ? recorded : String(below[1] + BigInt(recorded) - below[0]);
  }

  /** Recorded positions and ours, in the order of the recorded ones. */
  positions(): readonly (readonly [bigint, bigint])[] {
    const value = (text: string) => BigInt(text.slice('position '.length));
    return [...this.ours]
      .filter(([from]) => from.startsWith('position '))
      .map(([from, to]) => [value(from), value(to)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The order of the pairs means nothing. */
  private alignMetadata(recorded: readonly unknown[], actual: readonly unknown[]): unknown[] {
    const pairs = new Map(actual.filter(isPair));
    const aligned: unknown[] = recorded.filter(isPair).flatMap(([name, value]) => {
      const ours = pairs.get(name);
      pairs.delete(name);
      return ours === undefined ? [] : [[name, this.align(value, ours, name)]];
    });
    return [...aligned, ...pairs];
  }
}

type Kind = 'position' | 'time' | 'id';

const SHAPES: Readonly<Record<Kind, RegExp>> = {
  position: /^[1-9]\d*$/,
  /** Ticks of 100 ns since 1970. */
  time: /^\d{17}$/,
  id: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/,
};

const kindOf = (key: string, recorded: string): Kind | undefined => {
  if ((key === 'commitPosition' || key === 'preparePosition') && recorded !== '0') return 'position';
  if (key === 'created') return 'time';
  if (key === 'subscriptionId') return 'id';
  // Ids that the recorder made up are sent again as they are.
  return key === 'string' && !recorded.startsWith('00000000-') ? 'id' : undefined;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPair = (value: unknown): value is [string, string] => Array.isArray(value) && value.length === 2;
