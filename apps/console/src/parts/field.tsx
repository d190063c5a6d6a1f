import type { ComponentChildren, InputHTMLAttributes, Ref } from 'preact';
import { useId } from 'preact/hooks';

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'label' | 'value' | 'onInput' | 'list'> &
  Readonly<{
    label: string;
    value: string;
    onValue: (value: string) => void;
    hint?: string;
    /** Values to choose from; others can be typed. */
    suggestions?: readonly string[];
    inputRef?: Ref<HTMLInputElement>;
  }>;

/** A text field with its label; `type` and others as of `<input>`. */
export const Field = ({ label, value, onValue, hint, suggestions, inputRef, ...rest }: FieldProps) => {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        {...(inputRef && { ref: inputRef })}
        id={id}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        {...(hint && { 'aria-describedby': `${id}-hint` })}
        {...(suggestions && { list: `${id}-list` })}
      />
      {hint && (
        <small id={`${id}-hint`} class="quiet">
          {hint}
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
