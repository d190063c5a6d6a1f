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

/** The option that the keys are at, and when the options are shown. */
const useKeys = ({ text, options, type, choose }: Suggesting) => {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  useLayoutEffect(() => setActive(-1), [options]); // later it would undo a key pressed since
  const shown = isOpen ? options : [];
  const open = (): void => {
    type(text);
    setOpen(true);
  };
  const move = (step: number): void => {
    if (shown.length === 0) open();
    else setActive((Math.max(active, step < 0 ? 0 : -1) + step + shown.length) % shown.length);
  };
  /** A click into a field with text is for the text. */
  const clicked = (): void => {
    if (text === '' && shown.length === 0) open();
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
  return { shown, active, pressed, clicked, chosen, setOpen };
};

type ComboboxProps = Readonly<{ label: string; field: Suggesting; required?: boolean; hint?: string }>;

/** Takes a name or an id, and suggests names in a listbox: arrow keys, Enter, Escape, a click into the empty field. */
export const Combobox = ({ label, field, required = false, hint = '' }: ComboboxProps) => {
  const { text, error, input, type } = field;
  const { shown, active, pressed, clicked, chosen, setOpen } = useKeys(field);
  const note = error || hint;
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
        aria-describedby={note === '' ? undefined : `${id}-note`}
        required={required}
        value={text}
        onInput={({ currentTarget }) => {
          type(currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={pressed}
        onClick={clicked}
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
      {note !== '' && (
        <small id={`${id}-note`} class={error === '' ? 'quiet' : 'field-error'} aria-live="polite">
          {note}
        </small>
      )}
    </div>
  );
};
