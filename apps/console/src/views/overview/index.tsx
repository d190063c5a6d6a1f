import { get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Facts } from '../../parts/facts.js';
import { count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';

export default function Overview() {
  const log = useData((signal) => get<AnswerOf<'/ops/log'>>('/ops/log', {}, { signal }), []);
  return (
    <Loading of={log}>
      {({ head, events, streams }) => (
        <Facts
          of={[
            ['Head', head],
            ['Events', count(events)],
            ['Streams', count(streams)],
          ]}
        />
      )}
    </Loading>
  );
}
