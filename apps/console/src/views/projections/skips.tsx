import { get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

/** The events that were skipped, where there are any. */
export const Skips = ({ path, partitions }: Readonly<{ path: string; partitions: number }>) => {
  const { data } = useData((signal) => get<AnswerOf<'/ops/projections/{name}/skips'>>(`${path}/skips`, {}, { signal }), [path, partitions]);
  if (!data || data.items.length === 0) return null;
  return (
    <>
      <h3>Skipped events</h3>
      <Table
        caption="Skipped events"
        rows={data.items}
        keyOf={({ partition, eventId }) => `${partition} ${eventId}`}
        columns={[
          { name: 'Event', show: ({ eventId }) => <code>{eventId}</code> },
          { name: 'Type', show: ({ type }) => type },
          { name: 'Position', end: true, show: ({ position }) => position },
          { name: 'Partition', show: ({ partition }) => partition },
          { name: 'Reason', show: ({ reason }) => reason },
          { name: 'At', show: ({ at }) => <Time at={at} relative /> },
          { name: 'By', show: ({ actor }) => <code>{actor.id}</code> },
        ]}
      />
    </>
  );
};
