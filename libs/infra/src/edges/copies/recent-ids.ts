/** So many ids are remembered, at most twice as many. */
const GENERATION = 50_000;

/**
 * Finds ids that come twice among the last 50,000 events: appended together they would be refused, which is no answer for whoever imports a file. A store
 * finds events by stream and revision, so that ids that are further apart do no harm.
 */
export class RecentIds {
  private newer = new Set<string>();
  private older = new Set<string>();

  /** Remembers the id. @returns what is wrong with it */
  flawOf(id: string): string | undefined {
    const text = id.toLowerCase();
    if (this.newer.has(text) || this.older.has(text)) return 'has the id of another event';
    if (this.newer.size === GENERATION) [this.older, this.newer] = [this.newer, new Set()];
    this.newer.add(text);
    return undefined;
  }
}
