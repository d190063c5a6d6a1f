import type { AnswerBudget } from '#api/status/answers/answer-memory.js';
import * as errors from '#api/status/errors.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { StatusLine } from './status-line.js';

/** Names that identify an item, from the outermost level inwards: group, service, host. */
export type Path = readonly string[];
type Info = Readonly<Record<string, string>>;

/** An item of a level with the items of the next level, by name. */
export class CollectedItem {
  readonly below = new Map<string, CollectedItem>();
  /** Absent on levels whose statuses the answer does not show. */
  line?: StatusLine;
  /** Info of the item's first day. */
  info: Info | undefined;

  constructor(readonly name: string) {}

  /** In plain string order. */
  get sorted(): readonly CollectedItem[] {
    return [...this.below.values()].sort((one, other) => byBytes(one.name, other.name));
  }
}

/** An item on a day. `addTo` adds its statuses of the day that begins at `midnight`, in seconds since 1970. */
export type DayRow = Readonly<{ path: Path; info?: Info | undefined; addTo: (line: StatusLine, midnight: number) => void }>;

const midnightOf = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / 1_000;

/** Approximate memory of an item without its statuses, and of a status. */
const [ITEM_BYTES, STATUS_BYTES] = [600, 32];
/** Minimum step in which memory is reserved. */
const STEP_BYTES = 64 * 1024;

/** The statuses of all items over all days: results are read by day, but answers are ordered by item. */
export class CollectedTimelines {
  readonly root = new CollectedItem('');
  /** Number of statuses. */
  count = 0;
  private textSize = 0;
  private items = 0;
  private held = 0;

  constructor(private readonly budget: AnswerBudget) {}

  /**
   * Adds days; `rowsOf` selects their rows for the answer.
   * @throws DomainError `OVER_LIMIT` for more than one answer may have
   * @throws StatusError 503 if memory is short
   */
  async take<Of extends Readonly<{ day: Day }>>(days: AsyncIterable<Of>, rowsOf: (day: Of) => Iterable<DayRow>): Promise<void> {
    const slice = new TimeSlice();
    const seen = { days: 0, last: '' };
    for await (const day of days) {
      if (day.day !== seen.last && ++seen.days > STATUS_LIMITS.daysPerAnswer.value) throw overLimit('daysPerAnswer');
      if (this.budget.isGone()) throw errors.nobodyWaits();
      seen.last = day.day; // a day may come in parts
      const midnight = midnightOf(day.day);
      for (const row of rowsOf(day)) {
        this.add(row, midnight);
        if (slice.isOver) await slice.next();
      }
      this.hold();
    }
  }

  private add({ path, info, addTo }: DayRow, midnight: number): void {
    let item = this.root;
    for (const name of path) {
      let next = item.below.get(name);
      if (!next) {
        next = new CollectedItem(name);
        this.items++;
        item.below.set(name, next);
      }
      item = next;
    }
    if (!item.line) {
      item.line = new StatusLine();
      item.info = info;
    }
    const { length, textSize } = item.line;
    addTo(item.line, midnight);
    this.count += item.line.length - length;
    this.textSize += item.line.textSize - textSize;
    if (this.count > STATUS_LIMITS.statusesPerAnswer.value) throw overLimit('statusesPerAnswer');
    if (this.textSize > STATUS_LIMITS.statusTexts.value) throw overLimit('statusTexts');
  }

  private hold(): void {
    const bytes = this.items * ITEM_BYTES + this.count * STATUS_BYTES + this.textSize;
    if (bytes - this.held < STEP_BYTES) return;
    if (!this.budget.grow(bytes - this.held)) throw errors.unavailable();
    this.held = bytes;
  }
}

/** An item of the innermost level, with its identifying names. */
export type Leaf = Readonly<{ path: Path; item: CollectedItem; line: StatusLine }>;

/** Items `depth` levels below this one, in order. */
export function* leavesOf(item: CollectedItem, depth: number, path: Path = []): Generator<Leaf> {
  if (depth > 0) for (const next of item.sorted) yield* leavesOf(next, depth - 1, [...path, next.name]);
  else if (item.line) yield { path, item, line: item.line };
}
