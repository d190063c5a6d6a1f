import type { FoundChange, FoundStatuses, ItemStatus, NotifiedItem } from '#domain/status/notifications/status-changes.js';

/** Approximate size of a full event in bytes of JSON. */
const EVENT_BYTES = 200_000;

type Entry = Readonly<{ seen: ItemStatus } | { gone: NotifiedItem } | { change: FoundChange }>;

/** Divides the findings into parts for one event each, in order. None is empty. */
export function* eventsOf({ report, seen, gone, changes }: FoundStatuses): Generator<FoundStatuses> {
  const entries: readonly Entry[] = [
    ...gone.map((item) => ({ gone: item })),
    ...seen.map((item) => ({ seen: item })),
    ...changes.map((change) => ({ change })),
  ];
  let stretch: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry));
    if (stretch.length > 0 && bytes + size > EVENT_BYTES) {
      yield foundIn(report, stretch);
      [stretch, bytes] = [[], 0];
    }
    stretch.push(entry);
    bytes += size;
  }
  if (stretch.length > 0) yield foundIn(report, stretch);
}

const foundIn = (report: string, entries: readonly Entry[]): FoundStatuses => ({
  report,
  seen: entries.flatMap((one) => ('seen' in one ? [one.seen] : [])),
  gone: entries.flatMap((one) => ('gone' in one ? [one.gone] : [])),
  changes: entries.flatMap((one) => ('change' in one ? [one.change] : [])),
});
