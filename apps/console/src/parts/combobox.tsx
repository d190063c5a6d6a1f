import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { Listbox, optionId, STEPS } from './listbox.js';
import type { ComboboxField, Option } from './use-combobox.js';

/** What a {@link Combobox} shows, and does. */
export type Suggesting = Pick<ComboboxField, 'text' | 'error' | 'options' | 'input' | 'type' | 'choose'>;

const shownAs = ({ name, note }: Option) => (
  <>
    {name}
    {note && <span class="quiet"> · {note}</span>}
  </>
);

/** Which option the keys are at. */
const useKeys = ({ text, options, type, choose }: Suggesting) => {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  useLayoutEffect(() => setActive(-1), [options]); // later it would undo a key pressed since
  const shown = isOpen ? options : [];
  const move = (step: number): void => {
    if (shown.length === 0) type(text);
    else setActive((Math.max(active, step < 0 ? 0 : -1) + step + shown.length) % shown.length);
    setOpen(true);
  };
  const chosen = (option: Option): void => {
    choose(option);
    setOpen(false);
  };
  const pressed = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    const option = shown[active];
    const isHandled = step !== undefined || (event.key === 'Enter' && option) || (event.key === 'Escape' && shown.length > 0);
    if (isHandled) {
      event.preventDefault();
      event.stopPropagation();
    }
    if (step !== undefined) move(step);
    else if (event.key === 'Enter' && option) chosen(option);
    else if (event.key === 'Enter' || event.key === 'Escape') setOpen(false);
  };
  return { shown, active, pressed, chosen, setOpen };
};

type ComboboxProps = Readonly<{ label: string; field: Suggesting; required?: boolean }>;

/** Takes a name or an id, and suggests names in a listbox: arrow keys, Enter, Escape. */
export const Combobox = ({ label, field, required = false }: ComboboxProps) => {
  const { text, error, input, type } = field;
  const { shown, active, pressed, chosen, setOpen } = useKeys(field);
  const id = useId();
  const list = `${id}-list`;
  return (
    <div class="field combobox">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={input}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={shown.length > 0}
        aria-controls={shown.length > 0 ? list : undefined}
        aria-activedescendant={shown[active] && optionId(list, active)}
        aria-invalid={error !== ''}
        aria-describedby={error === '' ? undefined : `${id}-error`}
        required={required}
        value={text}
        onInput={({ currentTarget }) => {
          type(currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={pressed}
        onBlur={() => setOpen(false)}
      />
      {shown.length > 0 && (
        <Listbox
          id={list}
          label="Suggestions"
          options={shown}
          active={active}
          keyOf={({ value }) => value}
          show={shownAs}
          onChoose={chosen}
        />
      )}
      {error !== '' && (
        <small id={`${id}-error`} class="field-error" aria-live="polite">
          {error}
        </small>
      )}
    </div>
  );
};
