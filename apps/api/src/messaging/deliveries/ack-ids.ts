import { ackIdPrefix } from '#api/messaging/messages/message-texts.js';
import type { Delivery } from '#domain/messaging/deliveries/held.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';

/** Offset and attempt; no more digits than a number holds exactly. */
const DELIVERY = /^(0|[1-9]\d{0,14})-([1-9]\d{0,8})$/;

/** Ids that are read between two looks at the time. */
const IDS_A_LOOK = 1_000;

/** The id of a delivery: `projects/<project>/subscriptions/<subscription>:<offset>-<attempt>` (messaging contract 7.1). */
export const deliveryId = (project: ProjectReference, subscription: string, { offset, attempt }: Delivery): string =>
  `${ackIdPrefix(project, subscription)}${offset}-${attempt}`;

/** The deliveries that ids name, each once; `undefined` if there are no ids, or one of them is malformed. In slices if there are many. */
export const deliveriesIn = async (
  project: ProjectReference,
  subscription: string,
  ackIds: readonly string[],
): Promise<readonly Delivery[] | undefined> => {
  const prefix = ackIdPrefix(project, subscription);
  const slice = new TimeSlice();
  const deliveries = new Map<string, Delivery>();
  for (const [index, ackId] of ackIds.entries()) {
    const [, offset, attempt] = (ackId.startsWith(prefix) && DELIVERY.exec(ackId.slice(prefix.length))) || [];
    if (offset === undefined) return undefined;
    deliveries.set(ackId, { offset: Number(offset), attempt: Number(attempt) });
    if (index % IDS_A_LOOK === IDS_A_LOOK - 1 && slice.isOver) await slice.next();
  }
  return ackIds.length === 0 ? undefined : [...deliveries.values()];
};
