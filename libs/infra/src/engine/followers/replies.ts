/** Pending questions to another thread. */
export class Replies {
  private readonly waiting = new Map<number, Readonly<{ resolve(value: unknown): void; reject(error: Error): void }>>();
  private last = 0;

  /** `send` gets the number that the answer must carry. */
  expect(send: (id: number) => void): Promise<unknown> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      send(id);
    });
  }

  settle({ id, result, error }: Readonly<{ id: number; result?: unknown; error?: string }>): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }

  /** Rejects all pending questions; no more answers will come. */
  fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
