import { ackIdPrefix } from '#api/messaging/messages/message-texts.js';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import type { Delivered } from './leased-messages.js';

/** Offset and attempt, with no more digits than a number holds exactly. */
const DELIVERY = /^(0|[1-9]\d{0,14})-([1-9]\d{0,8})$/;
/** Each move of the subscription adds this number to the attempts in ids. So no id names deliveries before and after a move. */
const ATTEMPTS_OF_A_MOVE = 1_000_000;
/** Number of moves that fit into the digits of an attempt; then counting restarts. */
const MOVES = 900;

const addedBy = (seeks: number): number => (seeks % MOVES) * ATTEMPTS_OF_A_MOVE;

/** Ids read between two checks of the time. */
const IDS_A_LOOK = 1_000;

/** Delivery named by an id, with the id's text. */
export type NamedDelivery = Delivery & Readonly<{ ackId: string }>;

/** Last part of the id of a delivery, `projects/<project>/subscriptions/<subscription>:<offset>-<attempt>` (messaging contract 7.1). */
export const deliveryId = ({ message: { offset }, attempt, seeks }: Delivered<Readonly<{ offset: number }>>): string =>
  `${offset}-${addedBy(seeks) + attempt}`;

/** Deliveries in a subscription that was moved `seeks` times. Those from before a move get an attempt that cannot exist. */
export const sinceMoves = (named: readonly NamedDelivery[], seeks: number): readonly NamedDelivery[] =>
  named.map((delivery) => ({ ...delivery, attempt: delivery.attempt - addedBy(seeks) }));

/** Deliveries named by ids, without duplicates; `undefined` if there are no ids or one is malformed. Many ids are read in slices. */
export const deliveriesIn = async (
  project: ProjectReference,
  subscription: string,
  ackIds: readonly string[],
): Promise<readonly NamedDelivery[] | undefined> => {
  const prefix = ackIdPrefix(project, subscription);
  const slice = new TimeSlice();
  const deliveries = new Map<string, NamedDelivery>();
  for (const [index, ackId] of ackIds.entries()) {
    const [, offset, attempt] = (ackId.startsWith(prefix) && DELIVERY.exec(ackId.slice(prefix.length))) || [];
    if (offset === undefined) return undefined;
    deliveries.set(ackId, { ackId, offset: Number(offset), attempt: Number(attempt) });
    if (index % IDS_A_LOOK === IDS_A_LOOK - 1 && slice.isOver) await slice.next();
  }
  return ackIds.length === 0 ? undefined : [...deliveries.values()];
};
