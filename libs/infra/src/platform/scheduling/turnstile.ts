type Passage = { inside: number; readonly waiting: (() => void)[] };

/** Limits how much work of each key runs at a time; the rest waits in the order of arrival. */
export class Turnstile {
  private readonly passages = new Map<string, Passage>();

  constructor(private readonly most: number) {}

  async within<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turn = this.turn(key);
    if (turn) await turn;
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  /**
   * Resolves when work of the key may begin, with what is to be called once when it is over.
   * @param signal ends the wait
   * @throws the signal's reason
   */
  async enter(key: string, signal?: AbortSignal): Promise<() => void> {
    await this.turn(key, signal);
    return () => this.leave(key);
  }

  /** How much work of the key waits. */
  waiting(key: string): number {
    return this.passages.get(key)?.waiting.length ?? 0;
  }

  /** Of work that has to wait: when it may begin. */
  private turn(key: string, signal?: AbortSignal): Promise<void> | undefined {
    const passage = this.passages.get(key) ?? { inside: 0, waiting: [] };
    this.passages.set(key, passage);
    if (passage.inside === this.most)
      return new Promise((resolve, reject) => {
        const begin = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        const leave = (): void => {
          passage.waiting.splice(passage.waiting.indexOf(begin), 1);
          reject(signal?.reason);
        };
        passage.waiting.push(begin);
        signal?.addEventListener('abort', leave, { once: true });
      });
    passage.inside++;
    return undefined;
  }

  private leave(key: string): void {
    const passage = this.passages.get(key);
    const next = passage?.waiting.shift();
    if (next) next();
    else if (passage && --passage.inside === 0) this.passages.delete(key);
  }
}
