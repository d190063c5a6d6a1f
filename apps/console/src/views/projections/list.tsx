import { get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { count } from '../../parts/figures.js';
import { List } from '../../parts/loading.js';
import { State, toneOf } from '../../parts/state.js';
import { placeOf } from '../../place.js';
import { lagText, setAsideText } from './lag.js';

/** The read models. */
export default function Projections() {
  const list = useData((signal) => get<AnswerOf<'/ops/projections'>>('/ops/projections', {}, { signal }), [], 2_000);
  return (
    <List
      of={list}
      rows={({ items }) => items}
      caption="Projections"
      keyOf={({ name }) => name}
      linkOf={({ name }) => placeOf(`/projections/${encodeURIComponent(name)}`)}
      columns={[
        { name: 'Name', show: ({ name }) => name },
        { name: 'Version', end: true, show: ({ version }) => version },
        { name: 'State', show: ({ state }) => <State tone={toneOf(state)}>{state}</State> },
        { name: 'Position', end: true, show: ({ position }) => position },
        { name: 'Lag', end: true, show: ({ lag }) => lagText(lag) },
        { name: 'Documents', end: true, show: ({ documents }) => count(documents) },
        { name: 'Set aside', end: true, show: ({ setAside }) => setAsideText(setAside.partitions) },
      ]}
      note={() => (
        <p class="quiet">Position: that of the newest event that concerns the read model. Without a lag it has applied all of them.</p>
      )}
    />
  );
}
