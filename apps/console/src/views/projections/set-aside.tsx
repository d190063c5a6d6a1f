import { useState } from 'preact/hooks';
import { get } from '../../api/client.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { count } from '../../parts/figures.js';
import { List } from '../../parts/loading.js';
import type { Acting } from '../../parts/outcome.js';
import { State, toneOf } from '../../parts/state.js';
import type { Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { FailingEvent } from './failing-event.js';
import { usePartitionNames } from './partition-name.js';
import { type Partition, useTryingAgain } from './trying-again.js';

type SetAsideProps = Readonly<{
  projection: string;
  /** Of the projection. */
  path: string;
  acting: Acting;
  shown: boolean;
  /** How many there are now. */
  partitions: number;
  again: () => void;
}>;

const failing = ({ failure }: Partition) =>
  failure && (
    <>
      <FailingEvent failure={failure} />, <Time at={failure.at} relative />
      <br />
      {failure.message}
    </>
  );

/** Partitions that are set aside with the events that failed; resumes one, or skips such an event for good. */
export const SetAside = ({ projection, path, acting, shown, partitions, again }: SetAsideProps) => {
  const [skipped, setSkipped] = useState<string | null>(null);
  const list = useData((signal) => get<{ items: readonly Partition[] }>(`${path}/partitions`, {}, { signal }), [path, partitions]);
  const textOf = usePartitionNames(projection, list.data?.items.flatMap(({ partition, with: others }) => [partition, ...others]) ?? []);
  const { resume, skip } = useTryingAgain(path, acting, textOf, () => {
    list.again();
    again();
  });
  const actions: Column<Partition> = {
    name: 'Actions',
    show: ({ partition }) => (
      <div class="buttons">
        <Button text="Resume" disabled={acting.busy} onClick={() => resume(partition)} />
        <Button text="Skip event" class="danger" onClick={() => setSkipped(partition)} />
      </div>
    ),
  };
  const columns: readonly Column<Partition>[] = [
    {
      name: 'Partition',
      show: ({ partition, with: others }) => (
        <span title={[partition, ...others].join(', ')}>{[partition, ...others].map(textOf).join(', ')}</span>
      ),
    },
    { name: 'State', show: ({ state }) => <State tone={toneOf(state)}>{state === 'set-aside' ? 'set aside' : state}</State> },
    { name: 'Failing event', show: failing },
    { name: 'Events that wait', end: true, show: ({ failure, held }) => count(held + (failure ? 1 : 0)) },
    ...(shown ? [actions] : []),
  ];
  return (
    <>
      <h3>Set-aside partitions</h3>
      {partitions > 0 && (
        <p>
          Each is paused at an event that cannot be applied: its reads are refused, and everything else goes on. Resume tries the event
          again, with those behind it, once the cause is gone. Skip event leaves it out for good.
        </p>
      )}
      <List
        of={list}
        rows={({ items }) => items}
        caption="Set-aside partitions"
        keyOf={({ partition }) => partition}
        columns={columns}
        empty="No partition is set aside."
      />
      {skipped !== null && (
        <Confirm
          title="Skip the failing event?"
          action="Skip event"
          reason
          act={(reason) => skip(skipped, reason)}
          onClose={() => setSkipped(null)}
        >
          <p>The failing event of {textOf(skipped)} is left out of this projection for good. It stays in the log.</p>
        </Confirm>
      )}
    </>
  );
};
