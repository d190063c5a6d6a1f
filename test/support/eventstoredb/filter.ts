import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from './stored-event.js';

export type Filter = (event: StoredEvent) => boolean;

/** A filter by stream names: a regular expression wins over prefixes; no filter lets everything pass. @throws SyntaxError bad regular expression */
export const parseFilter = (options: streams.ReadReq.Options.FilterOptions | undefined): Filter => {
  if (!options) return () => true;
  const regex = options.getStreamIdentifier()?.getRegex() ?? '';
  if (regex !== '') {
    const pattern = new RegExp(regex);
    return ({ stream }) => pattern.test(stream);
  }
  const prefixes = options.getStreamIdentifier()?.getPrefixList() ?? [];
  return ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix));
};
