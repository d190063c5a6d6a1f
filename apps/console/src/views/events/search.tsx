import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Field } from '../../parts/field.js';
import { FILTERS, type FilterName, type Filters } from './filters.js';

/** What a field takes, where its label does not say it. */
const EXAMPLES: Readonly<Partial<Record<FilterName, string>>> = {
  from: '2026-03-01 12:00',
  to: '2026-03-31',
  type: 'one, or A, B',
};
const SERVICES = ['messaging', 'accounting', 'status', 'ops'];

type SearchProps = Readonly<{
  filters: Filters;
  onSearch: (filters: Filters) => void;
  /** Beside the buttons. */
  children: ComponentChildren;
}>;

/** Enter in any field searches. */
export const Search = ({ filters, onSearch, children }: SearchProps) => {
  const [typed, setTyped] = useState(filters);
  const text = JSON.stringify(filters);
  // What was typed stays, until another search is shown. Before the next key is pressed: later it would undo what that typed.
  useLayoutEffect(() => setTyped(JSON.parse(text)), [text]);
  const submit = (event: Event) => {
    event.preventDefault();
    onSearch(typed);
  };
  return (
    <search aria-label="Events">
      <form onSubmit={submit}>
        <div class="fields dense">
          {FILTERS.map(([name, label]) => (
            <Field
              key={name}
              label={label}
              value={typed[name] ?? ''}
              onValue={(value) => setTyped((before) => ({ ...before, [name]: value }))}
              autoComplete="off"
              {...(EXAMPLES[name] && { placeholder: EXAMPLES[name] })}
              {...(name === 'service' && { suggestions: SERVICES })}
            />
          ))}
        </div>
        <p class="quiet">UTC. From is inclusive, To exclusive.</p>
        <div class="buttons">
          <button type="submit" class="primary">
            Search
          </button>
          <button
            type="button"
            onClick={() => {
              setTyped({});
              onSearch({});
            }}
          >
            Clear
          </button>
          {children}
        </div>
      </form>
    </search>
  );
};
