import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { Timeline } from '../../charts/timeline.js';
import { Button } from '../../parts/button.js';
import { ErrorNote } from '../../parts/error-note.js';
import { Loading } from '../../parts/loading.js';
import { Outcome } from '../../parts/outcome.js';
import { Explained } from './explained.js';
import { LateData } from './late-data.js';
import { type Asked, loadExplanation, loadRequested } from './load.js';
import { dayRows, MOST_ROWS } from './rows.js';
import { percentOf, soFar } from './sum.js';

type DayProps = Readonly<{
  asked: Asked;
  group: string;
  day: string;
  session: Session;
  explains: boolean;
  onExplain: (explains: boolean) => void;
}>;

/** The day of a group, down to endpoints and metrics. */
export const Day = ({ asked, group, day, session, explains, onExplain }: DayProps) => {
  const [said, setSaid] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const { tenant, report, asOf } = asked;
  const found = useData((signal) => loadExplanation(asked, group, day, signal), [tenant, report, group, day, asOf]);
  const requested = useData(async (signal) => (asOf === undefined ? loadRequested(asked, day, signal) : []), [tenant, report, day, asOf]);
  useEffect(() => heading.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <section aria-label={`${group} on ${day}`}>
      <h2 ref={heading}>
        {group} on {day}
      </h2>
      <Outcome said={said} error={undefined} />
      {requested.error !== undefined && <ErrorNote error={requested.error} again={requested.again} />}
      <Loading of={found}>
        {(explanation) => {
          const { rows, from, to, cut } = dayRows(explanation);
          const partly = soFar(explanation);
          return (
            <>
              <p>
                Availability {percentOf(explanation.figures.availability)}, reliability {percentOf(explanation.figures.reliability)}
                {partly && ` of the day${partly}`} <Button text="Explain" aria-expanded={explains} onClick={() => onExplain(!explains)} />
              </p>
              <LateData
                of={explanation}
                asked={asked}
                session={session}
                requested={requested.data}
                said={(text) => {
                  setSaid(text);
                  requested.again();
                }}
              />
              {explains && <Explained of={explanation} requested={requested.data ?? []} />}
              <Timeline title={`${group} on ${day}`} rows={rows} from={from} to={to} />
              {cut && <p class="quiet">The first {MOST_ROWS} rows are shown.</p>}
            </>
          );
        }}
      </Loading>
    </section>
  );
};
