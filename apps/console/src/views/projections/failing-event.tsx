import type { ItemOf } from '../../api/types.js';
import { placeOf } from '../../place.js';

type Failure = NonNullable<ItemOf<'/ops/projections/{name}/partitions'>['failure']>;

/** The event that fails, by its type: a link where the node knows its index. */
export const FailingEvent = ({ failure: { type, index, eventId } }: Readonly<{ failure: Pick<Failure, 'type' | 'index' | 'eventId'> }>) =>
  typeof index === 'number' ? <a href={placeOf(`/events/${index}`)}>{type}</a> : <span title={eventId}>{type}</span>;
