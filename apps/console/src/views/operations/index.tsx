import { Outcome, useActing } from '../../parts/outcome.js';
import type { ViewProps } from '../../shell/view.js';
import { AccessKeys } from './access-keys.js';
import { Backups } from './backups.js';
import { Erasures } from './erasures.js';
import { JobList } from './job-list.js';
import { SigningKeys } from './signing-keys.js';

/** Long work, copies, erasures and keys of the installation. */
export default function Operations({ session }: ViewProps) {
  const acting = useActing();
  return (
    <>
      <Outcome said={acting.said} error={acting.error} />
      <JobList acting={acting} session={session} />
      <Backups acting={acting} />
      <Erasures acting={acting} />
      <AccessKeys acting={acting} session={session} />
      <SigningKeys acting={acting} />
    </>
  );
}
