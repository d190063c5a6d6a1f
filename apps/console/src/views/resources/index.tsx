import { placeOf } from '../../place.js';
import { useAsOf } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import { Chooser } from './chooser.js';
import { ResourceRecord } from './record.js';

/** Records of the services through time: a choice, or one of them (`/resources/{service}/{kind}/{id}`). */
export default function Resources({ segments, query, session }: ViewProps) {
  const asOf = useAsOf();
  const [service, kind, id] = segments;
  if (service === undefined || kind === undefined || id === undefined) return <Chooser key={`${query}`} query={query} />;
  const scope = query.get('scope') ?? undefined;
  return (
    <>
      <p>
        <a href={placeOf('/resources', { service, kind, scope })}>Other records</a>
      </p>
      <ResourceRecord key={`${segments} ${scope}`} reference={{ service, kind, id, scope }} asOf={asOf} session={session} />
    </>
  );
}
