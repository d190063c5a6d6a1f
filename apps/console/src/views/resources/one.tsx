import { Up } from '../../parts/up.js';
import { placeOf } from '../../place.js';
import { useAsOf } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import { ResourceRecord } from './record.js';

/** A record of a service through time. */
export default function One({ parameters: { service = '', kind = '', id = '' }, query, session }: ViewProps) {
  const scope = query.get('scope') ?? undefined;
  return (
    <>
      <Up to={placeOf('/resources', { service, kind, scope })} text="Other records" />
      <ResourceRecord key={scope} reference={{ service, kind, id, scope }} asOf={useAsOf()} session={session} />
    </>
  );
}
