import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from './stored-event.js';

export type Filter = (event: StoredEvent) => boolean;

/** A regular expression wins over prefixes; no filter lets everything pass. @throws SyntaxError bad regular expression */
export const parseFilter = (options: streams.ReadReq.Options.FilterOptions | undefined): Filter => {
  if (!options) return () => true;
  const expression = options.getStreamIdentifier() ?? options.getEventType();
  const subject = options.hasStreamIdentifier() ? (event: StoredEvent) => event.stream : (event: StoredEvent) => event.type;
  const regex = expression?.getRegex() ?? '';
  if (regex !== '') {
    const pattern = new RegExp(regex);
    return (event) => pattern.test(subject(event));
  }
  const prefixes = expression?.getPrefixList() ?? [];
  return (event) => prefixes.some((prefix) => subject(event).startsWith(prefix));
};
