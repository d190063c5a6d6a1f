import { currentCall } from '#api/shared/as-of/past-call.js';
import type { Position } from '#domain/shared/events.js';
import {
  type KeyRange,
  type Namespace,
  type Progress,
  type ReadStore,
  ReadStoreUnavailable,
  type ReadView,
  type StoredDocument,
} from '#projections/shared/read-store.js';

/** The documents of a projection as the current call sees them. */
class PastView implements ReadView {
  constructor(private readonly projection: string) {}

  async get(collection: string, key: string): Promise<Buffer | null> {
    return (await this.current()).get(collection, key);
  }

  async getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    return (await this.current()).getMany(collection, keys);
  }

  async range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    return (await this.current()).range(collection, range);
  }

  async ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    return (await this.current()).ranges(collection, ranges);
  }

  async count(collection: string, range: KeyRange): Promise<number> {
    return (await this.current()).count(collection, range);
  }

  private current(): Promise<ReadView> {
    return currentCall().view(this.projection);
  }
}

const unknown = async (): Promise<never> => {
  throw new ReadStoreUnavailable('the past has no builds of read models');
};

/**
 * Read models as they were at the moment of the current call. There is nothing to be written and nothing to be told of, and nothing that is read may
 * be kept for another call.
 */
export class PastReadStore implements ReadStore {
  readonly volatile = true;

  view(projection: string): ReadView {
    return new PastView(projection);
  }

  documents({ projection }: Namespace): ReadView {
    return this.view(projection);
  }

  onCommit(): () => void {
    return () => {};
  }

  collections(): Promise<readonly string[]> {
    return unknown();
  }

  async served(): Promise<null> {
    return null;
  }

  async standing(): Promise<null> {
    return null;
  }

  prepare(): Promise<Namespace> {
    return unknown();
  }

  serve(): Promise<void> {
    return unknown();
  }

  checkpoint(): Promise<Position> {
    return unknown();
  }

  progress(): Promise<Progress> {
    return unknown();
  }

  marks(): Promise<string> {
    return unknown();
  }

  commit(): Promise<void> {
    return unknown();
  }

  commitSoon(): Promise<void> {
    return unknown();
  }

  async flush(): Promise<void> {}

  mark(): Promise<void> {
    return unknown();
  }

  size(): Promise<Readonly<{ documents: number; bytes: number | null }>> {
    return unknown();
  }

  async trouble(): Promise<string | null> {
    return null;
  }

  async close(): Promise<void> {}
}

/** Before the first event. */
export const EMPTY_VIEW: ReadView = {
  get: async () => null,
  getMany: async (_collection, keys) => keys.map(() => null),
  range: async () => [],
  ranges: async (_collection, ranges) => ranges.map(() => []),
  count: async () => 0,
};
