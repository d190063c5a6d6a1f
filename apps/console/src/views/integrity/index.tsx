import { useEffect } from 'preact/hooks';
import { get } from '../../api/client.js';
import { mayAudit, mayOperate, type Session } from '../../api/session.js';
import type { AnswerOf } from '../../api/types.js';
import { type Loaded, useData } from '../../api/use-data.js';
import { Copyable } from '../../parts/copyable.js';
import { ErrorNote } from '../../parts/error-note.js';
import { Facts } from '../../parts/facts.js';
import { counted } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { Outcome, useActing } from '../../parts/outcome.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import type { ViewProps } from '../../shell/view.js';
import { Anchors, ProofDownload } from './anchors.js';
import { type Findings, loadFindings } from './findings.js';
import { ProofCheck } from './proof-check.js';
import { loadKeys } from './proof-of-event.js';
import { Verifications } from './verification.js';

const loadFacts = async (signal: AbortSignal) => {
  const [anchors, verifications] = await Promise.all([
    get<AnswerOf<'/audit/anchors'>>('/audit/anchors', { order: 'desc', limit: 1 }, { signal }),
    get<AnswerOf<'/audit/verifications'>>('/audit/verifications', {}, { signal }),
  ]);
  const last = verifications.items?.find(({ state }) => state === 'done');
  return { newest: anchors.items[0], last };
};

/** For so long nodes share what they found. */
const FINDINGS_MS = 1_000;

/** That the last anchor is too old, as the overview says it, for as long as it is. */
const OldAnchor = ({ of: { data, error, again }, session }: Readonly<{ of: Loaded<Findings>; session: Session }>) => {
  const old = data?.find(({ kind }) => kind === 'anchor-old');
  useEffect(() => {
    if (!old) return; // a page that is well asks nothing while it checks a proof
    const look = () => {
      if (document.hidden) timer = setTimeout(look, FINDINGS_MS);
      else again();
    };
    let timer = setTimeout(look, FINDINGS_MS);
    return () => clearTimeout(timer);
  }, [data, error]);
  if (!old) return null;
  return (
    <div class="note bad">
      <strong>{old.text}</strong>
      <p>
        {old.figures} {mayAudit(session) ? 'Sign one below' : 'An auditor signs one here'}. If that is refused, the refusal and the server
        log say what is wrong with the signing key. {mayOperate(session) && <a href={placeOf('/operations')}>Signing keys</a>}
      </p>
    </div>
  );
};

/** That nothing in the log was altered, and how to show it. */
export default function Integrity({ session }: ViewProps) {
  const keys = useData(loadKeys, []);
  const log = useData((signal) => get<AnswerOf<'/ops/log'>>('/ops/log', {}, { signal }), []); // not there while the audit index is built
  const facts = useData(loadFacts, []);
  const findings = useData(loadFindings, []);
  const acting = useActing();
  const changed = () => {
    log.again();
    facts.again();
    findings.again();
    keys.again(); // the anchor may be signed with a new one
  };
  return (
    <>
      <div class="sticky">
        <Outcome said={acting.said} error={acting.error} />
      </div>
      <OldAnchor of={findings} session={session} />
      {Object.entries({ findings, log, keys }).map(
        ([name, { error, again }]) => error !== undefined && <ErrorNote key={name} error={error} again={again} />,
      )}
      <Loading of={facts}>
        {({ newest, last }) => (
          <Facts
            of={[
              ['Size', log.data?.chain ? counted(log.data.chain.size ?? 0, 'chained event') : '–'],
              ['Root at the newest anchor', newest ? <Copyable key="root" text={newest.root} name="root" /> : 'no anchor yet'],
              ['Last anchor', newest ? <Time key="anchor" at={newest.signedAt} relative /> : 'none'],
              ['Covered by it', newest ? counted(newest.size, 'event') : '–'],
              ['Last verification', last ? <Time key="last" at={last.endedAt} relative /> : 'none in seven days'],
            ]}
          />
        )}
      </Loading>
      <Verifications acting={acting} mayBegin={mayAudit(session)} onEnded={facts.again} />
      <h2>Check a proof</h2>
      <ProofCheck keys={keys.data} say={acting.say} />
      <ProofDownload acting={acting} maySign={mayAudit(session)} />
      <Anchors acting={acting} maySign={mayAudit(session)} onSigned={changed} />
    </>
  );
}
