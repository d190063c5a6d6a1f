/** Maximum number of messages held for all subscriptions of a process. */
const MOST = 1_000_000;
/** Maximum for the subscriptions of one project, so that others have room. */
const MOST_OF_PROJECT = 250_000;
/** Pause between two calls of `onRoom`. */
const BETWEEN_CALLS_MS = 100;

/** Counts the messages that are leased or waiting in all subscriptions that this process serves. */
export class HeldMessages {
  private all = 0;
  private readonly byProject = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param onRoom called soon after there may be room where there was none */
  constructor(private readonly onRoom: () => void) {}

  /** Number of messages that a project may add. */
  room(projectId: string): number {
    return Math.max(0, Math.min(MOST - this.all, MOST_OF_PROJECT - this.of(projectId)));
  }

  /** Adds to the count of a project; `by` may be negative. */
  change(projectId: string, by: number): void {
    if (by < 0 && this.room(projectId) === 0) this.timer ??= setTimeout(() => this.call(), BETWEEN_CALLS_MS).unref();
    this.all += by;
    const held = this.of(projectId) + by;
    if (held > 0) this.byProject.set(projectId, held);
    else this.byProject.delete(projectId);
  }

  private of(projectId: string): number {
    return this.byProject.get(projectId) ?? 0;
  }

  private call(): void {
    this.timer = undefined;
    this.onRoom();
  }
}
