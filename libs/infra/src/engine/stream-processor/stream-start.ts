import type { Decider, StateSnapshots } from '#domain/shared/decider.js';
import type { DomainEvent, RecordedEvent, Revision } from '#domain/shared/events.js';
import { readableEvents } from '#infra/stores/event-codec/readable-events.js';
import type { FoldingSources } from './folding-sources.js';
import type { SnapshotPlace } from './snapshots/snapshot-documents.js';

/** A stream with fewer events is read completely at once; for a longer one a snapshot is looked up. */
const FEW_EVENTS = 100;

/** Start of folding a stream: the state up to a place, or nothing, and events after it. `isWhole`: they reach the head of the stream. */
type StreamStart = Readonly<{
  kept?: Readonly<{ state: unknown; place: SnapshotPlace }>;
  events: readonly RecordedEvent[];
  isWhole: boolean;
}>;

/** Each read is a round trip for which the first command waits, so reads with a known answer are skipped. */
export const readStart = async (
  stream: string,
  { window, snapshots: rule }: Pick<Decider<unknown, unknown, DomainEvent>, 'window' | 'snapshots'>,
  sources: FoldingSources,
): Promise<StreamStart> => {
  if (window !== undefined) return { events: await newest(stream, window, sources), isWhole: true };
  return rule ? await readKept(stream, rule, sources) : { events: [], isWhole: false };
};

/** At least as many events as the state may depend on; unreadable ones do not count. */
const newest = async (stream: string, window: number, { store, codec }: FoldingSources): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = [];
  let missing = Math.max(1, window);
  for (let from: Revision | undefined; ; ) {
    const page = await store.readStream(stream, { direction: 'backwards', limit: missing, ...(from !== undefined && { from }) });
    found.push(...page);
    const last = page.at(-1);
    if (window === 0 || page.length < missing || !last || last.revision === 0n) return found.reverse();
    missing -= (await readableEvents((events) => codec.decodeAll(events), page)).filter(Boolean).length;
    if (missing === 0) return found.reverse();
    from = last.revision - 1n;
  }
};

/** Begins with a stored state, if the log has the event after which it was stored. */
const readKept = async (stream: string, rule: StateSnapshots<unknown>, sources: FoldingSources): Promise<StreamStart> => {
  const first = await readFew(stream, 0n, sources);
  if (first.isWhole) return first;
  const found = await sources.snapshots?.findState({ stream, rule });
  if (!found) return first;
  const { place, saved } = found;
  const { events, isWhole } = await readFew(stream, place.revision, sources);
  const [last, ...later] = events;
  if (last?.revision !== place.revision || last.id !== place.id) return first;
  return { kept: { state: rule.restore ? rule.restore(saved) : saved, place }, events: later, isWhole };
};

/** Reads without a limit in bytes: fewer events than requested reach the head. */
const readFew = async (stream: string, from: Revision, { store }: FoldingSources) => {
  const events = await store.readStream(stream, { from, limit: FEW_EVENTS });
  return { events, isWhole: events.length < FEW_EVENTS };
};
