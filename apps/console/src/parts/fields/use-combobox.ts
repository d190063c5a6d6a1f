import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type NamedKind, suggestNames } from '../../api/names.js';

/** `value`: the id, or whatever the name stands for. `note`: what tells it from others of its name. */
export type Option = Readonly<{ value: string; name: string; note?: string | undefined }>;

/** Options for a text, the best first; for a value just that option. */
type Suggest = (text: string, signal?: AbortSignal) => Promise<readonly Option[]>;

type ComboboxOptions = Readonly<{
  /** What is asked for, as in `No tenant has this name.` */
  noun: string;
  suggest: Suggest;
  /** The value so far; `''`: none. */
  value: string;
  /** An option was chosen from the list. */
  onChosen?: (value: string) => void;
}>;

/** A text field that suggests names, and what stands in it. */
export type ComboboxField = Readonly<{
  text: string;
  error: string;
  options: readonly Option[];
  input: RefObject<HTMLInputElement | null>;
  type: (text: string) => void;
  choose: (option: Option) => void;
  /** Value of what was typed or chosen, `''` of an empty field. `undefined`: nothing fits, and the field says so. */
  resolve: () => Promise<string | undefined>;
  /** Says why what stands there is not taken. */
  refuse: (why: string) => void;
  clear: () => void;
}>;

/** Suggestions follow the last key after so long. */
const PAUSE_MS = 120;

/** Records of a kind by their names. */
export const namesOf =
  (kind: NamedKind): Suggest =>
  async (text, signal) =>
    (await suggestNames(kind, text, signal)).map(({ id, name, place }) => ({ value: id, name: name ?? id, note: place ?? undefined }));

/** Those that a text stands for: of exactly this value or name, or the only one that fits. */
const meantBy = (typed: string, found: readonly Option[]): readonly Option[] => {
  const same = found.filter(({ value, name }) => value === typed || name.toLowerCase() === typed.toLowerCase());
  return same.length > 0 ? same : found.length === 1 ? found : [];
};

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`);

/** Waits until nobody types any more, then asks; what is overtaken is aborted. */
const useAsking = (suggest: Suggest) => {
  const last = useRef<AbortController | null>(null);
  const stop = (): void => last.current?.abort();
  useEffect(() => stop, []);
  const ask = (text: string, answer: (found: readonly Option[]) => void, fail: (error: unknown) => void, pause = PAUSE_MS): void => {
    stop();
    const own = new AbortController();
    last.current = own;
    const unlessOvertaken =
      <T>(then: (value: T) => void) =>
      (value: T): void => {
        if (!own.signal.aborted) then(value);
      };
    setTimeout(() => {
      if (!own.signal.aborted) suggest(text, own.signal).then(unlessOvertaken(answer), unlessOvertaken(fail));
    }, pause);
  };
  return { ask, stop };
};

export const useCombobox = ({ noun, suggest, value, onChosen }: ComboboxOptions): ComboboxField => {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Option>();
  const [{ options, error }, setFound] = useState<Readonly<{ options: readonly Option[]; error: string }>>({ options: [], error: '' });
  const input = useRef<HTMLInputElement>(null);
  const { ask, stop } = useAsking(suggest);
  const nothing = `No ${noun} has this name.`;
  const say = (why: string, of: readonly Option[] = []) => setFound({ options: of, error: why });

  const take = (option: Option | undefined): void => {
    setChosen(option);
    setText(option?.name ?? '');
    say('');
  };
  useEffect(() => {
    if (value === (chosen?.value ?? '')) return;
    if (value === '') return take(undefined);
    take({ value, name: '' }); // it counts before its name is known
    const asItIs = { value, name: value };
    ask(
      value,
      (found) => take(found.find((one) => one.value === value) ?? asItIs),
      () => take(asItIs),
      0,
    );
  }, [value]);

  const type = (typed: string): void => {
    setText(typed);
    if (typed !== text)
      setChosen(undefined); // else only the suggestions are wanted
    else if (chosen?.name === '') return; // its name is under way
    setFound((before) => ({ ...before, error: '' }));
    const wanted = typed.trim();
    ask(
      wanted,
      (found) => say(found.length === 0 && wanted !== '' ? nothing : '', found),
      (failure) => say(messageOf(failure)),
    );
  };
  const choose = (option: Option): void => {
    stop();
    take(option);
    onChosen?.(option.value);
  };
  const refuse = (why: string, of: readonly Option[] = []): undefined => {
    say(why, of);
    input.current?.focus();
  };
  const resolve = async (): Promise<string | undefined> => {
    const typed = text.trim();
    if (typed === '' || chosen) return chosen?.value ?? '';
    stop();
    try {
      const [meant, ...others] = meantBy(typed, await suggest(typed));
      if (!meant) return refuse(nothing);
      if (others.length > 0) return refuse('Several have this name: choose one from the list.', [meant, ...others]);
      take(meant);
      return meant.value;
    } catch (failure) {
      return refuse(messageOf(failure));
    }
  };
  const clear = (): void => {
    stop();
    take(undefined);
  };
  return { text, error, options, input, type, choose, resolve, refuse, clear };
};
