import { useState } from 'preact/hooks';
import { get, send } from '../../api/client.js';
import { serverNow } from '../../api/server-time.js';
import type { AnswerOf, PostAnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Field, Form } from '../../parts/fields/field.js';
import { bytes, count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import type { Acting } from '../../parts/outcome.js';
import { State, toneOf } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

/** Names sort by time, and no two are the same. */
const nameOfNow = (): string => new Date(serverNow()).toISOString().slice(0, 19).replaceAll(':', '-');

/** Copies of the log. */
export const Backups = ({ acting }: Readonly<{ acting: Acting }>) => {
  const [directory, setDirectory] = useState(nameOfNow);
  const backups = useData((signal) => get<AnswerOf<'/ops/backups'>>('/ops/backups', {}, { signal }), [], 2_000);
  const begin = () =>
    acting.act(async () => {
      await send<PostAnswerOf<'/ops/backups'>>('POST', '/ops/backups', { directory });
      backups.again();
      setDirectory(nameOfNow());
      return `Backing up into ${directory}.`;
    });
  return (
    <section>
      <h2>Backups</h2>
      <Loading of={backups}>
        {({ items, refusal }) => (
          <>
            {refusal === null ? (
              <Form submit="Back up now" disabled={acting.busy} onSubmit={begin}>
                <Field
                  label="Directory"
                  value={directory}
                  onValue={setDirectory}
                  required
                  maxLength={500}
                  hint="Inside LOGBOOK_BACKUP_DIR"
                />
              </Form>
            ) : (
              <p>A backup cannot be made here: {refusal}.</p>
            )}
            <Table
              caption="Backups"
              rows={items}
              keyOf={({ id }) => id}
              empty="No backup in the last seven days."
              columns={[
                { name: 'Directory', show: ({ directory: into }) => into ?? '…' },
                {
                  name: 'State',
                  show: ({ state, failure }) => <State tone={toneOf(state)}>{failure ? `${state}: ${failure.message}` : state}</State>,
                },
                { name: 'Events', end: true, show: ({ size }) => (size === null ? '–' : count(size)) },
                { name: 'Position', end: true, show: ({ position }) => position ?? '–' },
                { name: 'Size', end: true, show: ({ bytes: size }) => (size === null ? '–' : bytes(size)) },
                { name: 'Ended', show: ({ endedAt }) => <Time at={endedAt} relative /> },
              ]}
            />
          </>
        )}
      </Loading>
    </section>
  );
};
