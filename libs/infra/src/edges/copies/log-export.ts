import { ANCHORS_STREAM, type Anchor } from '#domain/integrity/integrity-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { keysOfLog } from '#infra/engine/integrity/verification/verification-kind.js';
import type { Catalogues } from '#infra/stores/event-codec/schemas.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { chainAtHead } from './chain-at-head.js';
import { CopyRefused, DamagedCopy } from './damaged-copy.js';
import { type EndLine, type EventLine, EXPORT_FORMAT, type ExpiredLine, type ExportHeader, eventLine } from './export-lines.js';
import { ExportReader } from './export-reader.js';
import { isImportMarker, refuseUnfinishedImport } from './import-marker.js';
import { LogWalk, type WalkStep } from './log-walk.js';

type ExportOptions = Readonly<{
  events: Pick<EventStore, 'append' | 'readAll' | 'readStream' | 'head'>;
  /** Size of an anchor; 0 exports everything. */
  from: number;
  /** All event types of the log except those of subjects' keys. */
  catalogues: Catalogues;
}>;

/** `lines`: each without its line feed, produced on demand. `newReader`: a reader that reads them as an import does. */
export type LogExport = Readonly<{ header: ExportHeader; lines: AsyncGenerator<string>; newReader(): ExportReader }>;

/**
 * The log as lines of JSON, up to its current head (operations contract 6). It may be written meanwhile.
 * @throws CopyRefused there is nothing to export, or no such anchor
 * @throws ImportUnfinished
 * @throws DamagedCopy (also while lines are read) the log contradicts its chain
 */
export const exportLog = async ({ events, from, catalogues }: ExportOptions): Promise<LogExport> => {
  await refuseUnfinishedImport(events);
  const installation = await new LogIdentity(events).installation();
  if (installation === null) throw new CopyRefused('the log is empty: there is nothing to export');
  const anchor = from === 0 ? undefined : await anchorOf(events, from);
  const { position, leaves, tree, waiting } = await chainAtHead(events);
  const header: ExportHeader = {
    logbook: 'export',
    format: EXPORT_FORMAT,
    installation,
    from,
    size: tree.size,
    root: tree.root().toString('hex'),
    ...(anchor && { fromRoot: anchor.root }),
  };
  const start = await leaves.startBefore(from);
  const walk = new LogWalk({ events, leaves, upTo: position, kept: waiting }, start);
  const before = await leaves.frontierAt(from);
  if (!before) throw new DamagedCopy(`the log has no leaves that end at size ${from}`);
  const keys = await keysOfLog(events);
  return {
    header,
    lines: linesOf(header, walk, start.index >= from),
    newReader: () => new ExportReader({ header, tree: before.copy(), catalogues, keys, isOwnLog: true }),
  };
};

/** `isReached`: whether the walk begins right behind the event before `from`. */
async function* linesOf(header: ExportHeader, walk: LogWalk, isReached: boolean): AsyncGenerator<string> {
  yield JSON.stringify(header);
  let lines = 0;
  // Events without leaves between the last event before `from` and the first one after it may also be in the previous export.
  let isAmongThem = isReached;
  for await (const walked of walk.walk()) {
    const line = lineOf(walked);
    const isBefore = walked.kind !== 'unchained' && walked.index < header.from;
    if (line && isAmongThem && !isBefore) {
      lines += 1;
      yield JSON.stringify(line);
    }
    if (walked.kind !== 'unchained') isAmongThem ||= walked.index >= header.from - 1;
  }
  const end: EndLine = { end: true, lines };
  yield JSON.stringify(end);
}

const lineOf = (walked: WalkStep): EventLine | ExpiredLine | undefined => {
  if (walked.kind === 'unchained') return isImportMarker(walked.event.stream) ? undefined : eventLine(walked.event, null);
  const chained = { index: walked.index, hash: walked.hash.toString('hex') };
  return walked.kind === 'expired' ? { ...chained, expired: true } : eventLine(walked.event, chained);
};

const PAGE_ANCHORS = 200;

/** Searches anchors from the newest backwards, because a continued export begins near the end. @throws CopyRefused */
const anchorOf = async (events: Pick<EventStore, 'readStream'>, size: number): Promise<Anchor> => {
  for (let from: bigint | undefined; ; ) {
    const page = await events.readStream(ANCHORS_STREAM, {
      direction: 'backwards',
      limit: PAGE_ANCHORS,
      ...(from !== undefined && { from }),
    });
    const anchors = page.map(({ data }) => data as Anchor);
    const found = anchors.find((anchor) => anchor.size === size);
    if (found) return found;
    const oldest = page.at(-1);
    if (!oldest || oldest.revision === 0n || (anchors.at(-1)?.size ?? 0) < size)
      throw new CopyRefused(`there is no anchor of size ${size}`);
    from = oldest.revision - 1n;
  }
};
