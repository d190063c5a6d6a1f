import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** What the keys do to the place of the active option. */
export const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Id of an option of the listbox of this id, for `aria-activedescendant`. */
export const optionId = (id: string, at: number): string => `${id}-${at}`;

type ListboxProps<Option> = Readonly<{
  id: string;
  label: string;
  options: readonly Option[];
  active: number;
  keyOf: (option: Option) => string;
  show: (option: Option) => ComponentChildren;
  onChoose: (option: Option) => void;
}>;

/** Options below a field: the focus stays in the field, which has the keys. */
export function Listbox<Option>({ id, label, options, active, keyOf, show, onChoose }: ListboxProps<Option>) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [options, active]);
  return (
    <div ref={list} id={id} role="listbox" aria-label={label}>
      {options.map((option, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
        <div
          key={keyOf(option)}
          id={optionId(id, at)}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
        >
          {show(option)}
        </div>
      ))}
    </div>
  );
}
