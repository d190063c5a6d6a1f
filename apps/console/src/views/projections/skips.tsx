import { get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { ErrorNote } from '../../parts/error-note.js';
import { ActorName } from '../../parts/name.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { usePartitionNames } from './partition-name.js';

type SkipsProps = Readonly<{ projection: string; path: string; partitions: number }>;

/** The events that were skipped, where there are any. */
export const Skips = ({ projection, path, partitions }: SkipsProps) => {
  const { data, error, again } = useData(
    (signal) => get<AnswerOf<'/ops/projections/{name}/skips'>>(`${path}/skips`, {}, { signal }),
    [path, partitions],
  );
  const textOf = usePartitionNames(projection, data?.items.map(({ partition }) => partition) ?? []);
  if (error !== undefined) return <ErrorNote error={error} again={again} />;
  if (!data || data.items.length === 0) return null;
  return (
    <>
      <h3>Skipped events</h3>
      <Table
        caption="Skipped events"
        rows={data.items}
        keyOf={({ partition, eventId }) => `${partition} ${eventId}`}
        columns={[
          { name: 'Event', show: ({ type, eventId }) => <span title={eventId}>{type}</span> },
          { name: 'Position', end: true, show: ({ position }) => position },
          { name: 'Partition', show: ({ partition }) => <span title={partition}>{textOf(partition)}</span> },
          { name: 'Reason', show: ({ reason }) => reason },
          { name: 'At', show: ({ at }) => <Time at={at} relative /> },
          { name: 'By', show: ({ actor }) => <ActorName actor={actor} /> },
        ]}
      />
    </>
  );
};
