import { useState } from 'preact/hooks';
import { get, pathOf } from '../../api/client.js';
import type { Session } from '../../api/session.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { Loading } from '../../parts/loading.js';
import { Time } from '../../parts/time.js';
import { Difference } from '../resources/difference-lines.js';
import { type ChangeItem, Sentence, Sentences, useConversation } from './sentences.js';
import { usedText } from './used.js';

type ItemProps = Readonly<{ item: ChangeItem; session: Session }>;

const DifferenceOf = ({ item: { index }, session }: ItemProps) => {
  const found = useData(
    (signal) =>
      get<AnswerOf<'/audit/changes/{index}/difference'>>(pathOf('/audit/changes', `${index}`, 'difference'), {}, { signal, exact: true }),
    [index],
  );
  return (
    <Loading of={found}>
      {({ record: { service, scope }, before, after, dated, against }) => (
        <Difference
          before={before}
          after={after}
          {...(dated && { against })}
          ids={{ spot: { service, project: scope ?? undefined }, session }}
        />
      )}
    </Loading>
  );
};

/** The events that followed from one. */
const Effects = ({ item, session }: ItemProps) => {
  const members = { causation: item.id };
  return (
    <section aria-label="Effects">
      <Sentences name="Effects" of={useConversation(members)} members={members} note={usedText(item)} session={session} />
    </section>
  );
};

/** Below an item that changed a record, one at a time. */
const BELOW = { Difference: DifferenceOf, Effects } as const;
const NAMES = ['Difference', 'Effects'] as const;

type ListProps = Readonly<{ items: readonly ChangeItem[]; session: Session; busy: boolean }>;

/** One item a change; of one of them the difference or the effects are shown. */
export const ChangeList = ({ items, session, busy }: ListProps) => {
  const [open, setOpen] = useState<Readonly<{ key: string; name: keyof typeof BELOW }>>();
  const Below = open && BELOW[open.name];
  return (
    // biome-ignore lint/a11y/noRedundantRoles: a list without marks is no list in Safari
    <ul class="changes" role="list" aria-label="Changes" aria-busy={busy} aria-live="off">
      {items.map((item) => {
        const opened = item.key === open?.key ? open.name : undefined;
        return (
          <li key={item.key}>
            <p>
              <Sentence item={item} session={session} /> {item.day && <span class="quiet">from {item.day} on</span>}{' '}
              <Time at={item.time} relative />
              {item.changed &&
                NAMES.map((name) => (
                  <Button
                    key={name}
                    text={name}
                    class="small"
                    aria-expanded={opened === name}
                    onClick={() => setOpen(opened === name ? undefined : { key: item.key, name })}
                  />
                ))}
            </p>
            {opened && Below && <Below item={item} session={session} />}
          </li>
        );
      })}
    </ul>
  );
};
