import { get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { count } from '../../parts/figures.js';
import { List } from '../../parts/loading.js';
import { State, toneOf } from '../../parts/state.js';
import { placeOf } from '../../place.js';
import { lagText, setAsideText } from './lag.js';

/** In two lines where there is little room. */
const ProjectionName = ({ name }: Readonly<{ name: string }>) => {
  const [service, ...others] = name.split('.');
  return (
    <>
      {service}.<wbr />
      {others.join('.')}
    </>
  );
};

/** The read models. What needs attention is in view on a narrow page. */
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
        { name: 'Name', show: ({ name }) => <ProjectionName name={name} /> },
        { name: 'State', show: ({ state }) => <State tone={toneOf(state)}>{state}</State> },
        { name: 'Lag', end: true, show: ({ lag }) => lagText(lag) },
        { name: 'Set aside', end: true, show: ({ setAside }) => setAsideText(setAside.partitions) },
        { name: 'Position', end: true, show: ({ position }) => position },
        { name: 'Documents', end: true, show: ({ documents }) => count(documents) },
        { name: 'Version', end: true, show: ({ version }) => version },
      ]}
      note={() => (
        <p class="quiet">Position: that of the newest event that concerns the read model. Without a lag it has applied all of them.</p>
      )}
    />
  );
}
