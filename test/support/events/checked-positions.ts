import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { isImportMarker } from '#infra/edges/copies/import-marker.js';
import type { Answered } from './answered-positions.js';

/** Compares answers with the log: the position is that of the last event of the request (operations contract 0). In a log that was imported positions are others. */
export class CheckedPositions {
  private isImported = false;
  private readonly last = new Map<string, RecordedEvent>();

  constructor(private readonly answered: Answered) {}

  /** Events must come in the order of the log. */
  look(event: RecordedEvent): void {
    this.isImported ||= isImportMarker(event.stream);
    if (this.answered.has(event.metadata.requestId)) this.last.set(event.metadata.requestId, event);
  }

  /** @param end position up to which the log was looked at, if that is not its end: events of later positions are unknown */
  flaws(end?: Position): readonly string[] {
    if (this.isImported) return [];
    return [...this.last].flatMap(([requestId, { stream, type, position }]) => {
      const named = this.answered.get(requestId);
      const isBehind = end !== undefined && typeof named === 'bigint' && named > end;
      return named === null || named === position || isBehind
        ? []
        : [`an answer named position ${named}, its last event is ${position}: ${type} in ${stream}`];
    });
  }
}
