type Passage = { inside: number; readonly waiting: (() => void)[] };

/** Limits how much work of each key runs at a time; the rest waits in the order of arrival. */
export class Turnstile {
  private readonly passages = new Map<string, Passage>();

  constructor(private readonly most: number) {}

  async within<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(key);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves when work of the key may begin, with what is to be called once when it is over. */
  async enter(key: string): Promise<() => void> {
    const passage = this.passages.get(key) ?? { inside: 0, waiting: [] };
    this.passages.set(key, passage);
    if (passage.inside === this.most) await new Promise<void>((resolve) => passage.waiting.push(resolve));
    else passage.inside++;
    return () => {
      const next = passage.waiting.shift();
      if (next) next();
      else if (--passage.inside === 0) this.passages.delete(key);
    };
  }
}
