import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Combobox, type Suggesting } from '../../parts/fields/combobox.js';
import { Field, Form } from '../../parts/fields/field.js';
import { namesOf, useCombobox } from '../../parts/fields/use-combobox.js';
import { FILTERS, type FilterName, type Filters } from './filters.js';
import { NO_NAMES, namesWith, type Vocabulary, wrongWords } from './vocabulary.js';

const MOMENT = 'YYYY-MM-DD HH:MM';

/** What a field takes, where its label does not say it. */
const NOTES: Readonly<Partial<Record<FilterName, Readonly<{ placeholder?: string; hint?: string }>>>> = {
  record: { hint: 'service/kind/id' },
  from: { placeholder: MOMENT, hint: 'included' },
  to: { placeholder: MOMENT, hint: 'not included' },
};
const SERVICES = ['messaging', 'accounting', 'status', 'ops'];

type WordsOptions = Readonly<{
  text: string;
  onText: (text: string) => void;
  names: readonly string[];
  /** What is wrong with the words that were searched for. */
  error: string;
}>;

/** A field of words with suggestions for the last one. */
const useWords = ({ text, onText, names, error }: WordsOptions): Suggesting => {
  const input = useRef<HTMLInputElement>(null);
  const start = text.search(/[^\s,]*$/);
  const word = text.slice(start);
  const options = useMemo(() => (names.includes(word) ? [] : namesWith(word, names)).map((name) => ({ value: name, name })), [names, word]);
  return { text, error, options, input, type: onText, choose: ({ value }) => onText(text.slice(0, start) + value) };
};

type SearchProps = Readonly<{
  filters: Filters;
  /** `undefined`: not known, nor whether a name is unknown. */
  vocabulary: Vocabulary | undefined;
  onSearch: (filters: Filters) => void;
  /** Beside the buttons. */
  children: ComponentChildren;
}>;

/** Enter in any field searches. */
export const Search = ({ filters, vocabulary, onSearch, children }: SearchProps) => {
  const [typed, setTyped] = useState(filters);
  const text = JSON.stringify(filters);
  // What was typed stays, until another search is shown. Before the next key is pressed: later it would undo what that typed.
  useLayoutEffect(() => setTyped(JSON.parse(text)), [text]);
  const typing = (name: FilterName) => (value: string) => setTyped((before) => ({ ...before, [name]: value }));
  const wrong = (name: 'type' | 'category', names: readonly string[], most?: number): string =>
    vocabulary && typed[name] === filters[name] ? wrongWords(filters[name] ?? '', name, names, most) : '';
  const { types, categories } = vocabulary ?? NO_NAMES;
  const suggesting: Readonly<Partial<Record<FilterName, Suggesting>>> = {
    type: useWords({ text: typed.type ?? '', onText: typing('type'), names: types, error: wrong('type', types) }),
    category: useWords({
      text: typed.category ?? '',
      onText: typing('category'),
      names: categories,
      error: wrong('category', categories, 1),
    }),
  };
  const actor = useCombobox({ noun: 'actor', suggest: namesOf('actor'), value: filters.actor ?? '' });
  const submit = async () => {
    const id = await actor.resolve();
    if (id !== undefined) onSearch({ ...typed, actor: id });
  };
  return (
    <search aria-label="Events">
      <Form
        submit="Search"
        look="primary"
        dense
        onSubmit={submit}
        note={<p class="quiet">Times are UTC. Separate several types with commas.</p>}
        more={
          <>
            <Button
              text="Clear"
              onClick={() => {
                setTyped({});
                actor.clear();
                onSearch({});
              }}
            />
            {children}
          </>
        }
      >
        {FILTERS.map(([name, label]) => {
          const field = name === 'actor' ? actor : suggesting[name];
          if (field) return <Combobox key={name} label={label} field={field} />;
          return (
            <Field
              key={name}
              label={label}
              value={typed[name] ?? ''}
              onValue={typing(name)}
              autoComplete="off"
              {...NOTES[name]}
              {...(name === 'service' && { suggestions: SERVICES })}
            />
          );
        })}
      </Form>
    </search>
  );
};
