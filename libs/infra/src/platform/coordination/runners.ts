import { isDeepStrictEqual } from 'node:util';

type Runner<Target> = Readonly<{ target: Target; leave: AbortController; done: Promise<void> }>;

/** One loop in the background for each of some targets, such as tenants: one that has changed gets a new loop once the old one has left. */
export class Runners<Target> {
  private readonly running = new Map<string, Runner<Target>>();

  /** @param run works for a target until the signal; never rejects */
  constructor(private readonly run: (id: string, target: Target, signal: AbortSignal) => Promise<void>) {}

  /** Runs these, by their ids, and no others. @returns ids of those that have left or changed */
  async employ(wanted: ReadonlyMap<string, Target>): Promise<readonly string[]> {
    const leaving = [...this.running].filter(([id, { target }]) => !isDeepStrictEqual(target, wanted.get(id)));
    await Promise.all(leaving.map(([id, runner]) => this.end(id, runner)));
    for (const [id, target] of wanted) {
      if (this.running.has(id)) continue;
      const leave = new AbortController();
      this.running.set(id, { target, leave, done: this.run(id, target, leave.signal) });
    }
    return leaving.map(([id]) => id);
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    await this.employ(new Map());
  }

  private async end(id: string, { leave, done }: Runner<Target>): Promise<void> {
    leave.abort();
    await done;
    this.running.delete(id);
  }
}
