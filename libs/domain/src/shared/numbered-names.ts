/** Numbers names in the order in which they are first used. */
export class NumberedNames {
  private readonly numbers = new Map<string, number>();

  of(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    this.numbers.set(name, this.numbers.size);
    return this.numbers.size - 1;
  }

  /** In the order of their numbers. */
  get all(): readonly string[] {
    return [...this.numbers.keys()];
  }
}
