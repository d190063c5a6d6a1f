import { categoryOf, type Position } from '#domain/shared/events.js';
import { metadataFilter } from './categories.js';
import { ReadRefused } from './errors.js';
import type { OwnStreams } from './messages/foreign-events.js';
import { PAYLOAD_PREFIX } from './messages/records.js';
import type { Collector, Reader } from './reader.js';
import { objectIn } from './stream-metadata.js';

/** For each stream, the members of its metadata that Logbook never sets there. */
export type ForeignMembers = ReadonlyMap<string, readonly string[]>;

/** Members that make the server drop events or refuse calls. */
const EFFECTIVE = ['$maxAge', '$maxCount', '$tb', '$acl'];
/** Members that Logbook sets on payloads that expire. */
const OF_PAYLOADS: readonly string[] = ['$maxAge'];

const PAGE = 1_000;
/** Maximum number of streams reported. */
const MAX_STREAMS = 10_000;

type Change = Readonly<{ stream: string; members: readonly string[]; position: Position }>;
type Known = { found: Map<string, readonly string[]>; reached: Position };

const nothingKnown = (): Known => ({ found: new Map(), reached: 0n });

/** Missing metadata, and an ACL without names, have no effect. */
const hasEffect = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0);

/**
 * Finds metadata of Logbook's streams that other programs have set. It searches the log: each change of metadata is an event of the stream
 * `$$<stream>`, and the newest is effective. The first look makes the server search the whole log, later ones only new events.
 */
export class ForeignMetadata {
  private known = nothingKnown();

  constructor(
    private readonly reader: Reader,
    private readonly own: OwnStreams,
  ) {
    // Afterwards the log may be another one.
    reader.interruptions.listen(() => {
      this.known = nothingKnown();
    });
  }

  /** Streams with foreign members, 10,000 at most. @throws EventStoreUnavailable also when `signal` is aborted */
  async look(signal: AbortSignal): Promise<ForeignMembers> {
    const [end = 0n] = await this.reader.all({ of: 'head' }, ({ position }) => position, { signal });
    if (end < this.known.reached) this.known = nothingKnown();
    const { known } = this; // as left by that read
    try {
      while (await this.readPage(known, signal));
    } catch (error) {
      if (error instanceof ReadRefused) this.known = nothingKnown();
      throw error;
    }
    if (end > known.reached) known.reached = end;
    return new Map(known.found);
  }

  /** Returns whether there are more pages. */
  private async readPage(known: Known, signal: AbortSignal): Promise<boolean> {
    const streamNames = metadataFilter([...this.own.categories]);
    const request = { of: 'all', from: known.reached, streamNames, count: PAGE } as const;
    const changes = await this.reader.read(request, () => this.collector(), { signal, searching: true });
    for (const { stream, members, position } of changes) {
      known.reached = position;
      if (members.length === 0) known.found.delete(stream);
      else if (known.found.size < MAX_STREAMS || known.found.has(stream)) known.found.set(stream, members);
    }
    return changes.length === PAGE;
  }

  private collector(): Collector<readonly Change[]> {
    const changes: Change[] = [];
    return {
      take: ({ stream: changed, data, position }) => {
        const stream = changed.slice('$$'.length);
        const metadata = objectIn(data);
        const ours = this.setByUs(stream);
        changes.push({ stream, members: EFFECTIVE.filter((name) => !ours.includes(name) && hasEffect(metadata[name])), position });
        return changes.length < PAGE;
      },
      result: () => changes,
    };
  }

  private setByUs(stream: string): readonly string[] {
    if (stream.startsWith(PAYLOAD_PREFIX)) return OF_PAYLOADS;
    return this.own.metadata?.[categoryOf(stream)] ?? [];
  }
}
