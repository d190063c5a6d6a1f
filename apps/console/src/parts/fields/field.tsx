import type { ComponentChildren, Ref, TargetedInputEvent } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../button.js';

type FieldProps = Readonly<{
  label: string;
  value: string;
  onValue: (value: string) => void;
  hint?: string;
  /** Reason why the value is refused, shown in place of the hint. */
  error?: string | undefined;
  /** Values to choose from; others can be typed. */
  suggestions?: readonly string[];
  inputRef?: Ref<HTMLInputElement>;
  type?: 'text' | 'password';
  required?: boolean;
  disabled?: boolean;
  maxLength?: number;
  pattern?: string;
  placeholder?: string;
  inputMode?: 'numeric';
  autoComplete?: 'current-password' | 'off';
}>;

type InputProps = Omit<FieldProps, 'label' | 'onValue' | 'hint' | 'error' | 'suggestions' | 'inputRef'> &
  Readonly<{
    id: string;
    list?: string | undefined;
    ref?: Ref<HTMLInputElement> | undefined;
    'aria-describedby'?: string | undefined;
    'aria-invalid': boolean;
    onInput: (event: TargetedInputEvent<HTMLInputElement>) => void;
  }>;

/** Written out by type, because each has attributes of its own. */
const inputOf = ({ type, list, ...attributes }: InputProps) => {
  if (type === 'password') return <input {...attributes} type="password" />;
  return <input {...attributes} type="text" list={list} />;
};

/** A text field with its label; `type` and what follows as of `<input>`. */
export const Field = ({ label, value, onValue, hint, error, suggestions, inputRef, ...rest }: FieldProps) => {
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {inputOf({
        ...rest,
        id,
        value,
        ref: inputRef,
        list: suggestions && `${id}-list`,
        'aria-describedby': note && `${id}-hint`,
        'aria-invalid': error !== undefined,
        onInput: ({ currentTarget }) => onValue(currentTarget.value),
      })}
      {note && (
        <small id={`${id}-hint`} class={error === undefined ? 'quiet' : 'field-error'}>
          {note}
        </small>
      )}
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </div>
  );
};

type DayFieldProps = Readonly<{ label: string; value: string; onValue: (value: string) => void; hint?: string }>;

/** A day as a text. `hint`: whether the day itself counts. */
export const DayField = ({ hint = 'included', ...rest }: DayFieldProps) => (
  <Field {...rest} hint={hint} required placeholder="YYYY-MM-DD" pattern="\d{4}-\d{2}-\d{2}" maxLength={10} autoComplete="off" />
);

type ChoiceProps = Readonly<{
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** Values with what is shown of them; a text alone is both. */
  options: readonly (string | readonly [value: string, shown: string])[];
  children?: ComponentChildren;
}>;

/** One of some values. */
export const Choice = ({ label, value, onValue, options }: ChoiceProps) => {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map((option) => {
          const [given, shown] = typeof option === 'string' ? [option, option] : option;
          return (
            <option key={given} value={given}>
              {shown}
            </option>
          );
        })}
      </select>
    </div>
  );
};

type FormProps = Readonly<{
  /** Text of the button that submits it. */
  submit: string;
  look?: 'primary' | 'danger';
  disabled?: boolean;
  dense?: boolean;
  onSubmit: () => unknown;
  /** Its fields. */
  children: ComponentChildren;
  /** Below the fields. */
  note?: ComponentChildren;
  /** Beside the button, which is then below the fields, too. */
  more?: ComponentChildren;
}>;

/** Fields, and the button that Enter presses in any of them. */
export const Form = ({ submit, look, disabled = false, dense = false, onSubmit, children, note, more }: FormProps) => {
  const button = <Button type="submit" text={submit} class={look} disabled={disabled} />;
  const submitted = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submitted}>
      <div class={dense ? 'fields dense' : 'fields'}>
        {children}
        {more === undefined && <div class="buttons at-field">{button}</div>}
      </div>
      {note}
      {more !== undefined && (
        <div class="buttons">
          {button}
          {more}
        </div>
      )}
    </form>
  );
};
