import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { isImportMarker } from '#infra/edges/copies/import-marker.js';

/** `Logbook-Position` of the answers to this suite's writes, by the id of the request. `null`: several requests had that id. */
const answered = new Map<string, Position | null>();

/** Remembers which position an answer names. */
export const noteAnswered = (headers: Headers): void => {
  const [requestId, position] = [headers.get('x-request-id'), headers.get('logbook-position')];
  if (requestId !== null && position !== null) answered.set(requestId, answered.has(requestId) ? null : BigInt(position));
};

/** Compares answers with the log: the position is that of the last event of the request (operations contract 0). In a log that was imported positions are others. */
export class AnsweredPositions {
  private isImported = false;
  private readonly last = new Map<string, RecordedEvent>();

  /** Events must come in the order of the log. */
  look(event: RecordedEvent): void {
    this.isImported ||= isImportMarker(event.stream);
    if (answered.has(event.metadata.requestId)) this.last.set(event.metadata.requestId, event);
  }

  /** @param end position up to which the log was looked at, if that is not its end: events of later positions are unknown */
  flaws(end?: Position): readonly string[] {
    if (this.isImported) return [];
    return [...this.last].flatMap(([requestId, { stream, type, position }]) => {
      const named = answered.get(requestId);
      const isBehind = end !== undefined && typeof named === 'bigint' && named > end;
      return named === null || named === position || isBehind
        ? []
        : [`an answer named position ${named}, its last event is ${position}: ${type} in ${stream}`];
    });
  }
}
