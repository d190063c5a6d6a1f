import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { isDay } from '#domain/shared/time.js';
import { Button } from '../../parts/button.js';
import { Combobox } from '../../parts/fields/combobox.js';
import { Choice, Field, Form } from '../../parts/fields/field.js';
import { namesOf, useCombobox } from '../../parts/fields/use-combobox.js';
import { kindText } from '../../records/kind-text.js';
import { KINDS } from '../resources/kinds.js';
import type { Filters } from './filters.js';

/** What is typed into `Text` is looked for after this pause. */
const PAUSE_MS = 400;

const kindsOf = (service: string | undefined): readonly (readonly [string, string])[] => {
  const services = service === undefined ? Object.keys(KINDS) : [service];
  const kinds = new Set(services.flatMap((one) => Object.keys(KINDS[one] ?? {})));
  return [...kinds].sort().map((kind) => [kind, kindText(kind)]);
};

/** The day that counts while one is typed is the one before. */
const dayOf = (typed: string, before: string): string => (typed === '' || isDay(typed) ? typed : before);

const DAY = { placeholder: 'YYYY-MM-DD', pattern: '\\d{4}-\\d{2}-\\d{2}', maxLength: 10, hint: 'included' } as const;

/** `children`: what is found. */
type SearchProps = Readonly<{ filters: Filters; onSearch: (filters: Filters) => void; children: ComponentChildren }>;

/** Each filter counts as soon as it is chosen; texts with Enter, or after a pause. Nothing is found while the actor is not known. */
export const Search = ({ filters, onSearch, children }: SearchProps) => {
  const { service = '', kind = '', actor = '', text = '', reads = '', traffic = '', from = '', to = '' } = filters;
  const [typed, setTyped] = useState({ text, from, to });
  const search = (more: Filters) => onSearch({ ...filters, ...typed, from: dayOf(typed.from, from), to: dayOf(typed.to, to), ...more });
  const actors = useCombobox({ noun: 'actor', value: actor, suggest: namesOf('actor'), onChosen: (id) => search({ actor: id }) });
  // Layout effects run before the next key: later ones would undo it.
  useLayoutEffect(() => setTyped((now) => ({ ...now, text })), [text]);
  useLayoutEffect(() => setTyped((now) => ({ ...now, from })), [from]);
  useLayoutEffect(() => setTyped((now) => ({ ...now, to })), [to]);
  useLayoutEffect(() => {
    if (typed.text.trim() === text) return;
    const timer = setTimeout(() => search({}), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const submit = async () => {
    const id = await actors.resolve();
    if (id !== undefined) search({ actor: id });
  };
  const ofService = (chosen: string) => {
    const has = kindsOf(chosen || undefined).some(([one]) => one === kind);
    search({ service: chosen, ...(!has && { kind: '' }) });
  };
  const clear = () => {
    setTyped({ text: '', from: '', to: '' });
    actors.clear();
    onSearch({});
  };
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <search aria-label="Changes">
        <Form
          submit="Search"
          look="primary"
          dense
          onSubmit={submit}
          more={
            <>
              {isFiltered && <Button text="Clear" onClick={clear} />}
              <label class="check">
                <input
                  type="checkbox"
                  checked={reads === 'true'}
                  onChange={({ currentTarget }) => search({ reads: currentTarget.checked ? 'true' : '' })}
                />{' '}
                Show reads
              </label>
              <label class="check" title="messages published, pulled and acknowledged">
                <input
                  type="checkbox"
                  checked={traffic === 'true'}
                  onChange={({ currentTarget }) => search({ traffic: currentTarget.checked ? 'true' : '' })}
                />{' '}
                Show traffic
              </label>
            </>
          }
        >
          <Choice label="Service" value={service} onValue={ofService} options={[['', 'all'], ...Object.keys(KINDS)]} />
          <Choice
            label="Kind"
            value={kind}
            onValue={(chosen) => search({ kind: chosen })}
            options={[['', 'all'], ...kindsOf(service || undefined)]}
          />
          <Combobox label="Actor" field={actors} />
          <Field label="Text" value={typed.text} onValue={(value) => setTyped({ ...typed, text: value })} autoComplete="off" />
          <Field label="From" value={typed.from} onValue={(value) => setTyped({ ...typed, from: value })} {...DAY} />
          <Field label="To" value={typed.to} onValue={(value) => setTyped({ ...typed, to: value })} {...DAY} />
        </Form>
      </search>
      {actors.error === '' && children}
    </>
  );
};
