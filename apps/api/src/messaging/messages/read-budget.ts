const [MOST_MESSAGES, MOST_BYTES, MOST_MS] = [50_000, 16 * 1024 * 1024, 5_000];

/** Amount of the log that a call of operators may still read, because messages may be many and large. The next call continues. */
export class ReadBudget {
  private readonly until = performance.now() + MOST_MS;
  private messages = MOST_MESSAGES;
  private left = MOST_BYTES;

  get isSpent(): boolean {
    return this.messages <= 0 || this.left <= 0 || performance.now() >= this.until;
  }

  /** More than 0 unless it is spent. */
  get bytes(): number {
    return this.left;
  }

  spend(messages: number, bytes: number): void {
    this.messages -= messages;
    this.left -= bytes;
  }
}
