import { useEffect, useId, useState } from 'preact/hooks';
import type { ComboboxField, Option } from './use-combobox.js';

/** What a {@link Combobox} shows, and does. */
export type Suggesting = Pick<ComboboxField, 'text' | 'error' | 'options' | 'input' | 'type' | 'choose'>;

type SuggestionsProps = Readonly<{ id: string; options: readonly Option[]; active: number; onChoose: (option: Option) => void }>;

/** The focus stays in the field, which has the keys. */
const Suggestions = ({ id, options, active, onChoose }: SuggestionsProps) => (
  <div id={`${id}-list`} role="listbox" aria-label="Suggestions">
    {options.map((option, at) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
      <div
        key={option.value}
        id={`${id}-${at}`}
        role="option"
        tabIndex={-1}
        aria-selected={at === active}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => onChoose(option)}
      >
        {option.name}
        {option.note && <span class="quiet"> · {option.note}</span>}
      </div>
    ))}
  </div>
);

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Which option the keys are at. */
const useKeys = ({ text, options, type, choose }: Suggesting) => {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  useEffect(() => setActive(-1), [options]);
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
        aria-controls={shown.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={shown[active] && `${id}-${active}`}
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
      {shown.length > 0 && <Suggestions id={id} options={shown} active={active} onChoose={chosen} />}
      {error !== '' && (
        <small id={`${id}-error`} class="field-error" aria-live="polite">
          {error}
        </small>
      )}
    </div>
  );
};
