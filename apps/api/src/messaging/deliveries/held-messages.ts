/** Messages that are held for all subscriptions of a process, at most. */
const MOST = 1_000_000;
/** The same for those of one project, so that there is room for others. */
const MOST_OF_PROJECT = 250_000;
/** Between two calls of those who wait for room. */
const BETWEEN_CALLS_MS = 100;

/** How many messages of all subscriptions that this process serves are leased, or came up and wait. */
export class HeldMessages {
  private all = 0;
  private readonly byProject = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param onRoom called soon after there may be room again where there was none */
  constructor(private readonly onRoom: () => void) {}

  /** How many more there may be of a project. */
  room(projectId: string): number {
    return Math.max(0, Math.min(MOST - this.all, MOST_OF_PROJECT - this.of(projectId)));
  }

  /** There are so many more of a project, or less. */
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
