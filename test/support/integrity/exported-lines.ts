import type { EventStore } from '#domain/shared/event-store.js';
import { checkedLines } from '#infra/edges/copies/export-check.js';
import { exportLog } from '#infra/edges/copies/log-export.js';
import type { Catalogues } from '#infra/stores/event-codec/schemas.js';

/** The lines of an export of a log, each as an import has accepted it. */
export const exportedLines = async (events: EventStore, catalogues: Catalogues, from = 0): Promise<string[]> => {
  const lines: string[] = [];
  for await (const line of checkedLines(await exportLog({ events, from, catalogues }))) lines.push(line);
  return lines;
};
