/** Number of remembered ids; at most twice as many. */
const GENERATION = 50_000;

/**
 * Finds duplicate ids among the last 50,000 events: the store would refuse them in one append, without a message that helps the user.
 * Duplicates further apart do no harm, because a store finds events by stream and revision.
 */
export class RecentIds {
  private newer = new Set<string>();
  private older = new Set<string>();

  /** Remembers the id. @returns its flaw */
  flawOf(id: string): string | undefined {
    const text = id.toLowerCase();
    if (this.newer.has(text) || this.older.has(text)) return 'has the id of another event';
    if (this.newer.size === GENERATION) [this.older, this.newer] = [this.newer, new Set()];
    this.newer.add(text);
    return undefined;
  }
}
