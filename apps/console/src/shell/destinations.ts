import { NO_MATCH, nameRank } from '#domain/operations/name-rank.js';
import { encoded } from '../api/client.js';
import type { Session } from '../api/session.js';
import type { ItemOf } from '../api/types.js';
import { placeOf } from '../place.js';
import { kindText } from '../records/kind-text.js';
import { messagingPlace, recordPlace, versionsPlace } from '../records/places.js';
import type { View } from './view.js';

type Found = ItemOf<'/ops/places'>;

/** Where one can go. `place`: tenant, project or service that tells it from others of its name. */
export type Destination = Readonly<{ name: string; kind: string; place: string | null; address: string }>;

/** Options of a list. */
const MOST = 20;

/** A record of the status service that is shown by its versions. */
const versioned = (kind: string) => [kindText(kind), ({ id }: Found) => versionsPlace({ service: 'status', kind, id })] as const;

/** A group of a report today. */
const groupPlace = (tenant: string | null, report = '', group = ''): string => placeOf('/status', { tenant: tenant ?? '', report, group });

/** What a record is called, and where it is shown. */
const KINDS: Readonly<Record<Exclude<Found['kind'], 'record'>, readonly [word: string, address: (found: Found) => string]>> = {
  'status.tenant': ['tenant', ({ id }) => placeOf('/status', { tenant: id })],
  'status.metric_profile': versioned('metric_profile'),
  'status.operations_profile': versioned('operations_profile'),
  'status.aggregation_profile': versioned('aggregation_profile'),
  'status.thresholds_profile': versioned('thresholds_profile'),
  'status.weights': versioned('weights'),
  'status.report': ['report', ({ id, within }) => placeOf('/status', { tenant: within ?? '', report: id })],
  'status.group': ['group', ({ name, report, within }) => groupPlace(within, report, name)],
  'status.host': ['host', ({ group, report, within }) => groupPlace(within, report, group)],
  'messaging.project': ['project', ({ name }) => messagingPlace(name)],
  'messaging.topic': ['topic', ({ name, within }) => messagingPlace(within ?? '', 'topics', name)],
  'messaging.subscription': ['subscription', ({ name, within }) => messagingPlace(within ?? '', 'subscriptions', name)],
  'accounting.project': ['project', ({ id }) => placeOf('/accounting', { project: id })],
  user: ['user', ({ id }) => placeOf(`/actors/${encoded(id)}`, { kind: 'user' })],
  event: ['event', ({ id }) => placeOf(`/events/${encoded(id)}`)],
  request: ['request', ({ id }) => placeOf('/events', { request: id })],
  conversation: ['conversation', ({ id }) => placeOf('/events', { correlation: id })],
};

/** A record that was found by its id. */
const recordDestination = ({ id: record, name, place }: Found, session: Session): Destination => {
  const [service = '', kind = '', ...id] = record.split('/');
  return { name, kind: `${service} ${kindText(kind)}`, place, address: recordPlace({ service, kind, id: id.join('/') }, session) };
};

export const destinationOf = (found: Found, session: Session): Destination => {
  if (found.kind === 'record') return recordDestination(found, session);
  const [kind, address] = KINDS[found.kind];
  return { name: found.name, kind, place: found.place, address: address(found) };
};

export const viewDestination = ({ name, path }: Pick<View, 'name' | 'path'>): Destination => ({
  name,
  kind: 'view',
  place: null,
  address: placeOf(path),
});

/** As `workers · subscription · monitoring`. */
export const textOf = ({ name, kind, place }: Destination): string => [name, kind, ...(place ? [place] : [])].join(' · ');

/** Worse than a match of the words, for which the name has {@link NO_MATCH}. */
const NONE = NO_MATCH + 1;

/** How well a destination fits a text in lower case: 0 best, {@link NONE} not at all. */
const rankOf = (destination: Destination, wanted: string): number => {
  const rank = nameRank(destination.name, wanted);
  const text = textOf(destination).toLowerCase();
  return rank < NO_MATCH || wanted.split(/[\s·]+/).every((word) => text.includes(word)) ? rank : NONE;
};

/**
 * Those that fit what was typed, the best first; those that come first stay first among equals. `found`: of the server, which finds records by their ids,
 * too. `isDone`: they were found for this very text.
 */
export const matching = (
  views: readonly Destination[],
  found: readonly Destination[],
  typed: string,
  isDone: boolean,
): readonly Destination[] => {
  const wanted = typed.trim().toLowerCase();
  return [...views, ...found]
    .map((destination) => ({ destination, rank: wanted === '' ? 0 : rankOf(destination, wanted) }))
    .filter(({ destination, rank }) => rank < NONE || (isDone && found.includes(destination)))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MOST)
    .map(({ destination }) => destination);
};
