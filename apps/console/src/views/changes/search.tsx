import { useEffect, useState } from 'preact/hooks';
import { Combobox } from '../../parts/combobox.js';
import { Choice, Field } from '../../parts/field.js';
import { namesOf, useCombobox } from '../../parts/use-combobox.js';
import { kindText } from '../../records/kind-text.js';
import { KINDS } from '../resources/kinds.js';
import { type Filters, isDay } from './filters.js';

/** What is typed into `Text` is looked for after this pause. */
const PAUSE_MS = 400;

const kindsOf = (service: string | undefined): readonly (readonly [string, string])[] => {
  const services = service === undefined ? Object.keys(KINDS) : [service];
  const kinds = new Set(services.flatMap((one) => Object.keys(KINDS[one] ?? {})));
  return [...kinds].sort().map((kind) => [kind, kindText(kind)]);
};

/** The field itself refuses a text that is no day. */
const dayOrNone = (typed: string): string => (isDay(typed) ? typed : '');

const DAY = { placeholder: 'YYYY-MM-DD', pattern: '\\d{4}-\\d{2}-\\d{2}', maxLength: 10, hint: 'included' } as const;

type SearchProps = Readonly<{ filters: Filters; onSearch: (filters: Filters) => void }>;

/** Each filter counts as soon as it is chosen; texts with Enter, or after a pause. */
export const Search = ({ filters, onSearch }: SearchProps) => {
  const { service = '', kind = '', actor = '', text = '', reads = '', traffic = '', from = '', to = '' } = filters;
  const [typed, setTyped] = useState({ text, from, to });
  const search = (more: Filters) => onSearch({ ...filters, ...typed, from: dayOrNone(typed.from), to: dayOrNone(typed.to), ...more });
  const actors = useCombobox({ noun: 'actor', value: actor, suggest: namesOf('actor'), onChosen: (id) => search({ actor: id }) });
  useEffect(() => setTyped({ text, from, to }), [text, from, to]);
  useEffect(() => {
    if (typed.text.trim() === text) return;
    const timer = setTimeout(() => search({ text: typed.text }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.text]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const id = await actors.resolve();
    if (id !== undefined) search({ actor: id });
  };
  const ofService = (chosen: string) => {
    const has = kindsOf(chosen || undefined).some(([one]) => one === kind);
    search({ service: chosen, ...(!has && { kind: '' }) });
  };
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <search aria-label="Changes">
      <form onSubmit={submit}>
        <div class="fields dense">
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
        </div>
        <div class="buttons">
          <button type="submit" class="primary">
            Search
          </button>
          {isFiltered && (
            <button type="button" onClick={() => onSearch({})}>
              Clear
            </button>
          )}
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
        </div>
      </form>
    </search>
  );
};
