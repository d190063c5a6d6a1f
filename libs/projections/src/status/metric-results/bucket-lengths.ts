/**
 * Lengths of the documents of a day's buckets when they were last looked at. Rows only grow until they become a part, and then the head grows, so a
 * bucket with the same lengths has no further points.
 */
export class BucketLengths {
  private readonly known = new Map<number, readonly [head: number, rows: number]>();

  /** Remembers the lengths. Returns whether they are others than before. */
  differ(bucket: number, head: number, rows: number): boolean {
    const before = this.known.get(bucket);
    this.known.set(bucket, [head, rows]);
    return before?.[0] !== head || before[1] !== rows;
  }
}
